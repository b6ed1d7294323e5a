"""Opening a zoo, and the location of its database."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from paddock.directories import get_data_directory
from paddock.zoo.errors import ZooUnavailableError

if TYPE_CHECKING:
    from paddock.zoo.service import Zoo

ZOO_DATABASE_VARIABLE = "PADDOCK_ZOO_DATABASE"


class DatabaseInfo(NamedTuple):
    """The kind and the location of the database that holds a zoo."""

    kind: Literal["sqlite", "postgresql"]
    location: str
    """The path of the file, or the URL of the server without its password."""


def open_zoo(url: str | None = None, *, wait_seconds: float = 10.0) -> Zoo:
    """Open the user's zoo, and create it if it does not exist.

    Args:
        url: `sqlite:////path/to/zoo.db`, `postgresql://user:password@host/name`, or the path of a
            SQLite file. The default is PADDOCK_ZOO_DATABASE, or else a file in Paddock's directory.
        wait_seconds: How long to wait for the lock of another writer.

    Raises:
        ZooUnavailableError: The database cannot be used. It is left unchanged.
        ZooFileError: The file that AGENT_ZOO_STORE_PATH names cannot be imported.
    """
    try:
        from paddock.zoo.service import connect_zoo  # noqa: PLC0415 - SQLAlchemy takes 150 ms
    except ModuleNotFoundError as error:
        raise ZooUnavailableError(
            f"the module {error.name} is not installed", hint='pip install "paddock[zoo]"'
        ) from None
    return connect_zoo(url or get_zoo_address(), wait_seconds)


def get_zoo_address() -> str:
    """Return the URL or the path of the user's zoo."""
    return os.environ.get(ZOO_DATABASE_VARIABLE) or str(
        Path(get_data_directory()) / "zoo" / "zoo.db"
    )


def get_database_info(zoo: Zoo) -> DatabaseInfo:
    """Return the kind and the location of a zoo's database."""
    database = zoo.backups.context.database
    return DatabaseInfo("sqlite" if database.is_sqlite else "postgresql", database.location)
