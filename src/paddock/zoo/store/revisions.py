"""Reads a database's schema revision, and migrates it to the current one.

Reading the revision takes one small query. Alembic is only imported if a migration is needed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import inspect, text

from paddock.lazy_modules import LazyModule
from paddock.zoo.errors import ZooUnavailableError

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from paddock.zoo.store import migrations
else:  # Alembic takes longer to import than a zoo with current tables takes to open
    migrations = LazyModule("paddock.zoo.store.migrations")

_MIGRATIONS_DIRECTORY = Path(__file__).with_name("migrations")
# Getting it from Alembic would mean importing Alembic, which takes longer than opening a zoo.
CURRENT_REVISION = max(file.name[1:5] for file in _MIGRATIONS_DIRECTORY.glob("r[0-9]*_*.py"))
"""The latest revision, from the migration file names: `r0002_accounts.py` is revision 0002."""
_VERSION_TABLE = "alembic_version"


def get_revision(connection: Connection, where: str) -> str | None:
    """Return the schema revision of a zoo's database, or None for a database without tables.

    Raises:
        ZooUnavailableError: The tables belong to another application.
    """
    tables = set(inspect(connection).get_table_names())
    if _VERSION_TABLE in tables:
        revision: str | None = connection.scalar(text(f"SELECT version_num FROM {_VERSION_TABLE}"))  # noqa: S608 - a constant
        # Another application may use Alembic too. An older revision is only ours if our tables
        # exist.
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
    """Migrate a database's tables to a revision, by default the current one.

    The migrations run in the open transaction, so either all of them take effect or none do.

    Args:
        connection: A connection in a write transaction.
        where: The database location, for error messages.
        to: The revision.

    Raises:
        ZooUnavailableError: The database revision is unknown, so it comes from a newer Paddock.
    """
    current = get_revision(connection, where)
    if current == to:
        return
    unknown = migrations.find_unknown_revision(current, to)
    if unknown is not None:
        raise ZooUnavailableError(
            f"the tables have revision {unknown}, but this version of Paddock supports only "
            f"revisions up to {CURRENT_REVISION}",
            where=where,
            hint="update Paddock; nothing was changed",
        )
    migrations.run_migrations(connection, to)
