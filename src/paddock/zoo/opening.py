"""Where the user's zoo is, and opening it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.directories import get_data_directory
from paddock.zoo.errors import ZooUnavailableError

if TYPE_CHECKING:
    from paddock.zoo.service import Zoo

ZOO_DATABASE_VARIABLE = "PADDOCK_ZOO_DATABASE"


def open_zoo(url: str | None = None, *, wait_seconds: float = 10.0) -> Zoo:
    """The zoo of the user, made if there is none yet.

    Args:
        url: Where it is kept: `sqlite:////path/to/zoo.db`, `postgresql://user:password@host/name`,
            or the path of a SQLite file. By default what PADDOCK_ZOO_DATABASE says, or a file in
            Paddock's directory.
        wait_seconds: How long to wait for the lock of another writer.

    Raises:
        ZooUnavailableError: when it cannot be used. Nothing is changed then.
        ZooFileError: when AGENT_ZOO_STORE_PATH names a file that cannot be imported.
    """
    # Some who ask only where the zoo is never open it, and SQLAlchemy takes its time.
    try:
        from paddock.zoo.service import Zoo  # noqa: PLC0415 - loads SQLAlchemy
        from paddock.zoo.store.database import ZooDatabase  # noqa: PLC0415 - loads SQLAlchemy
    except ModuleNotFoundError as error:
        raise ZooUnavailableError(
            f"the module {error.name} is not installed", hint='pip install "paddock[zoo]"'
        ) from None

    zoo = Zoo(ZooDatabase(url or get_zoo_address(), wait_seconds=wait_seconds))
    try:
        zoo.import_legacy_file_once()
    except BaseException:
        zoo.close()
        raise
    return zoo


def get_zoo_address() -> str:
    """Where the user's zoo is kept, unless somebody says otherwise."""
    return os.environ.get(ZOO_DATABASE_VARIABLE) or str(
        Path(get_data_directory()) / "zoo" / "zoo.db"
    )
