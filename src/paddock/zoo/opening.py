"""Opens the user's zoo, and locates its database."""

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
    """The type and location of a zoo's database."""

    kind: Literal["sqlite", "postgresql"]
    location: str
    """The file path, or the server URL without its password."""


def open_zoo(url: str | None = None, *, wait_seconds: float = 10.0) -> Zoo:
    """Open the user's zoo, creating it if it does not exist.

    Args:
        url: `sqlite:////path/to/zoo.db`, `postgresql://user:password@host/name`, or the path of a
            SQLite file. Defaults to PADDOCK_ZOO_DATABASE, or to a file in Paddock's directory.
        wait_seconds: How long to wait for another writer's lock.

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
    """Return the URL or path of the user's zoo."""
    return os.environ.get(ZOO_DATABASE_VARIABLE) or str(
        Path(get_data_directory()) / "zoo" / "zoo.db"
    )


def get_database_info(zoo: Zoo) -> DatabaseInfo:
    """Return the type and location of a zoo's database."""
    database = zoo.backups.context.database
    return DatabaseInfo("sqlite" if database.is_sqlite else "postgresql", database.location)
