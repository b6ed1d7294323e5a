"""Database migrations, one module per revision, and the code that runs them with Alembic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory

if TYPE_CHECKING:
    from alembic.runtime.migration import MigrationContext, MigrationStep
    from sqlalchemy import Connection

_DIRECTORY = __path__[0]
_SCRIPTS = ScriptDirectory(_DIRECTORY, version_locations=[_DIRECTORY])


def find_unknown_revision(*revisions: str | None) -> str | None:
    """Return the first revision that has no migration. None means a database without tables."""
    known = {None, *(migration.revision for migration in _SCRIPTS.walk_revisions())}
    return next((revision for revision in revisions if revision not in known), None)


def run_migrations(connection: Connection, to: str) -> None:
    """Migrate a database's tables from its current revision to the revision `to`.

    Alembic runs on the caller's connection, without an alembic.ini or env.py file. All migrations
    therefore share one transaction.
    """

    def list_steps(revision: object, context: MigrationContext) -> list[MigrationStep]:
        return [*_SCRIPTS._upgrade_revs(to, revision)]  # type: ignore[arg-type]  # noqa: SLF001 - as the command of Alembic does

    with EnvironmentContext(Config(), _SCRIPTS, fn=list_steps) as environment:
        environment.configure(connection=connection)
        environment.run_migrations()
