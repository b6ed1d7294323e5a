"""Bringing the tables of a database to the present revision.

Looking whether that is needed is one small query; Alembic is imported only when it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

from paddock.zoo.errors import ZooUnavailableError

if TYPE_CHECKING:
    from alembic.runtime.migration import MigrationContext, MigrationStep
    from sqlalchemy import Connection

CURRENT_REVISION = "0002"
"""The newest revision; tests hold it and the migrations together."""

_MIGRATIONS_DIRECTORY = Path(__file__).with_name("migrations")
_VERSION_TABLE = "alembic_version"


def get_revision(connection: Connection, where: str) -> str | None:
    """The revision of the tables; None for a database without tables.

    Raises:
        ZooUnavailableError: for a database of something else.
    """
    tables = set(inspect(connection).get_table_names())
    if _VERSION_TABLE in tables:
        found: str | None = connection.scalar(text(f"SELECT version_num FROM {_VERSION_TABLE}"))  # noqa: S608 - a constant
        if found is not None and (found == CURRENT_REVISION or "agent_versions" in tables):
            return found
    if tables:
        raise ZooUnavailableError(
            "it holds tables, but not those of an agent zoo",
            where=where,
            hint="name a database of its own for the zoo",
        )
    return None


def migrate_tables(connection: Connection, where: str, *, to: str = CURRENT_REVISION) -> None:
    """Run what is missing, within the transaction that has begun: all of it or nothing.

    Raises:
        ZooUnavailableError: when the database is of a revision that is not known.
    """
    found = get_revision(connection, where)
    if found == to:
        return
    # Not needed by a zoo that is up to date.
    from alembic.config import Config  # noqa: PLC0415 - only for migrations
    from alembic.runtime.environment import EnvironmentContext  # noqa: PLC0415 - only for migrations
    from alembic.script import ScriptDirectory  # noqa: PLC0415 - only for migrations

    script = ScriptDirectory(
        str(_MIGRATIONS_DIRECTORY), version_locations=[str(_MIGRATIONS_DIRECTORY)]
    )
    known = {one.revision for one in script.walk_revisions()}
    for revision in (found, to):
        if revision is not None and revision not in known:
            raise ZooUnavailableError(
                f"its tables are of revision {revision}, and this version of Paddock knows "
                f"{CURRENT_REVISION} at most",
                where=where,
                hint="update Paddock; nothing was changed",
            )

    def list_steps(revision: object, context: MigrationContext) -> list[MigrationStep]:
        return [*script._upgrade_revs(to, revision)]  # type: ignore[arg-type]  # noqa: SLF001 - as the command of Alembic does

    with EnvironmentContext(Config(), script, fn=list_steps) as environment:
        environment.configure(connection=connection)
        environment.run_migrations()
