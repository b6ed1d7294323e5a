"""The schema revision of a database, and migrations to the current one.

Reading the revision is one small query. Alembic is imported only if a migration is needed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

from paddock.zoo.errors import ZooUnavailableError

if TYPE_CHECKING:
    from sqlalchemy import Connection

_MIGRATIONS_DIRECTORY = Path(__file__).with_name("migrations")
# Asking Alembic would import it, which takes longer than opening a zoo.
CURRENT_REVISION = max(file.name[1:5] for file in _MIGRATIONS_DIRECTORY.glob("r[0-9]*_*.py"))
"""The latest revision, by the names of the migrations: `r0002_accounts.py` is revision 0002."""
_VERSION_TABLE = "alembic_version"


def get_revision(connection: Connection, where: str) -> str | None:
    """Return the schema revision of a zoo's database, or None for a database without tables.

    Raises:
        ZooUnavailableError: The tables are those of another application.
    """
    tables = set(inspect(connection).get_table_names())
    if _VERSION_TABLE in tables:
        revision: str | None = connection.scalar(text(f"SELECT version_num FROM {_VERSION_TABLE}"))  # noqa: S608 - a constant
        # Another application may use Alembic too. An older revision is ours only with our tables.
        if revision is not None and (revision == CURRENT_REVISION or "agent_versions" in tables):
            return revision
    if tables:
        raise ZooUnavailableError(
            "the database has tables, but not those of an agent zoo",
            where=where,
            hint="use a separate database for the zoo",
        )
    return None


def migrate_tables(connection: Connection, where: str, *, to: str = CURRENT_REVISION) -> None:
    """Bring the tables of a database to a revision, by default the current one.

    The migrations run in the open transaction, so either all of them take effect or none.

    Args:
        connection: A connection in a write transaction.
        where: The location of the database, for errors.
        to: The revision.

    Raises:
        ZooUnavailableError: The revision of the database is unknown, so it is of a newer Paddock.
    """
    current = get_revision(connection, where)
    if current == to:
        return
    # Alembic takes longer to import than opening a zoo whose tables are up to date.
    from paddock.zoo.store import migrations  # noqa: PLC0415 - loads Alembic

    unknown = migrations.find_unknown_revision(current, to)
    if unknown is not None:
        raise ZooUnavailableError(
            f"the tables have revision {unknown}, but this version of Paddock supports only "
            f"revisions up to {CURRENT_REVISION}",
            where=where,
            hint="update Paddock; nothing was changed",
        )
    migrations.run_migrations(connection, to)
