"""Records of the servers installed into clients, in one file of the data directory.

`paddock.installer` changes the clients' files and decides what a record contains.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from paddock.directories import get_data_directory
from paddock.errors import LoadError
from paddock.files import lock_file, write_atomically

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEMA_VERSION = 1


class Installation(msgspec.Struct, frozen=True, kw_only=True):
    """The record of a server's entry in a client's file."""

    server: str
    """The name of the server."""
    client: str
    """The id of the client."""
    file: str
    """The absolute path of the client's file."""
    real: str = ""
    """The path with links resolved at the time of installation."""
    key: str
    """The name of the entry."""
    scope: str = "user"
    """`user`, `file`, or the directory of a project."""
    entry_kind: str = "stdio"
    """The transport between client and server: `stdio` or `http`."""
    created: str = ""
    """The time of installation in UTC, in ISO 8601 format."""
    splice: dict[str, Any] | None = None
    """The data needed to restore the file."""

    def __repr__(self) -> str:
        """Leave out the data needed to restore the file, which may contain secrets."""
        shown = {name: getattr(self, name) for name in self.__struct_fields__ if name != "splice"}
        return f"Installation({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def is_same_entry(self, other: Installation) -> bool:
        """Return whether both records are about the same entry of a client's file."""
        return (self.file, self.client, self.key) == (other.file, other.client, other.key)


class _SchemaHeader(msgspec.Struct):
    schema: int = SCHEMA_VERSION


class _InstallationRecords(_SchemaHeader):
    installations: list[Installation] = []


def get_installations_path() -> Path:
    """Return the path of the file of records, which may not exist yet."""
    return Path(get_data_directory()) / "installations.json"


def read_installations(server: str | None = None) -> list[Installation]:
    """Return all records, or those of one server, the oldest first.

    A damaged file of records is renamed, and counts as empty.

    Raises:
        LoadError: A newer Paddock has written the file, or it cannot be read.
    """
    path = get_installations_path()
    try:
        records = _read_records(path)
    except msgspec.MsgspecError:
        with lock_file(path):
            records = _read_or_set_aside(path)
    return [record for record in records if server is None or record.server == server]


def update_installations(change: Callable[[list[Installation]], list[Installation]]) -> None:
    """Replace all records by the result of a function, while the file is locked.

    Raises:
        LoadError: A newer Paddock has written the file; it is left unchanged.
        FileBusyError: Another process keeps the file locked.
    """
    path = get_installations_path()
    with lock_file(path):
        before = _read_or_set_aside(path)
        after = change(list(before))
        if after != before:
            data = msgspec.json.format(
                msgspec.json.encode(_InstallationRecords(installations=after)), indent=2
            )
            write_atomically(path, data + b"\n")


def _read_or_set_aside(path: Path) -> list[Installation]:
    """Return the records, or rename a damaged file. The caller holds the lock."""
    try:
        return _read_records(path)
    except msgspec.MsgspecError:
        now = datetime.now(UTC)
        path.rename(path.with_name(f"{path.stem}.broken-{now:%Y-%m-%dT%H-%M-%S}.json"))
        return []


def _read_records(path: Path) -> list[Installation]:
    """Read the records; a missing file has none.

    Raises:
        MsgspecError: The file is damaged.
        LoadError: A newer Paddock has written the file, or it cannot be read.
    """
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise LoadError(
            f"the records of installations cannot be read: {error.strerror}",
            where=str(path),
            hint="make the file readable",
        ) from None
    schema = msgspec.json.decode(data, type=_SchemaHeader).schema
    if schema != SCHEMA_VERSION:
        raise LoadError(
            f"the records of installations have schema {schema}, expected {SCHEMA_VERSION}",
            where=str(path),
            hint="a newer Paddock has written them; update Paddock",
        )
    return msgspec.json.decode(data, type=_InstallationRecords).installations
