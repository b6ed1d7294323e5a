"""Records of the servers installed into clients, kept in one file in the data directory.

`paddock.installer` edits the clients' config files and decides what a record contains.
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
    """The record of a server entry that Paddock has added to a client's config file.

    The records make it possible to list a server's installations, and to undo them later.
    """

    server: str
    """The name of the server."""
    client: str
    """The id of the client."""
    file: str
    """The absolute path of the client's config file."""
    real: str = ""
    """The same path with symbolic links resolved at the time of installation."""
    key: str
    """The name of the entry in the config file."""
    scope: str = "user"
    """The owner of the config file: `user`, a project's directory, or `file` for any other file."""
    entry_kind: str = "stdio"
    """The transport between client and server: `stdio` or `http`."""
    created: str = ""
    """The time of installation in UTC, in ISO 8601 format."""
    splice: dict[str, Any] | None = None
    """The changed part of the config file, used to restore the previous contents."""

    def __repr__(self) -> str:
        """Return all fields except `splice`, which may contain secrets from the config file."""
        field_names = [name for name in self.__struct_fields__ if name != "splice"]
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in field_names)
        return f"Installation({fields})"

    def is_same_entry(self, other: Installation) -> bool:
        """Return whether both records describe the same entry of the same config file."""
        return (self.file, self.client, self.key) == (other.file, other.client, other.key)


class _SchemaHeader(msgspec.Struct):
    schema: int = SCHEMA_VERSION


class _InstallationRecords(_SchemaHeader):
    installations: list[Installation] = []


def get_installations_path() -> Path:
    """Return the path of the records file, which may not exist yet."""
    return Path(get_data_directory()) / "installations.json"


def read_installations(server: str | None = None) -> list[Installation]:
    """Return the records of all installations or of one server, oldest first.

    A damaged records file is renamed and treated as empty.

    Raises:
        LoadError: A newer Paddock has written the file, or it cannot be read.
    """
    path = get_installations_path()
    try:
        records = _read_records(path)
    except msgspec.MsgspecError:
        with lock_file(path):
            records = _read_or_rename_damaged(path)
    return [record for record in records if server is None or record.server == server]


def update_installations(change: Callable[[list[Installation]], list[Installation]]) -> None:
    """Replace all records with the result of a function while the records file is locked.

    Args:
        change: Function that takes the current records and returns the records to store.

    Raises:
        LoadError: A newer Paddock has written the file; it is left unchanged.
        FileBusyError: Another process keeps the file locked.
    """
    path = get_installations_path()
    with lock_file(path):
        records = _read_or_rename_damaged(path)
        new_records = change(list(records))
        if new_records != records:
            content = msgspec.json.encode(_InstallationRecords(installations=new_records))
            write_atomically(path, msgspec.json.format(content, indent=2) + b"\n")


def _read_or_rename_damaged(path: Path) -> list[Installation]:
    """Read the records. If the file is damaged, rename it and return an empty list.

    The new name is, for example, `installations.broken-2026-05-31T12-00-00.json`. The caller must
    hold the file's lock.
    """
    try:
        return _read_records(path)
    except msgspec.MsgspecError:
        now = datetime.now(UTC)
        path.rename(path.with_name(f"{path.stem}.broken-{now:%Y-%m-%dT%H-%M-%S}.json"))
        return []


def _read_records(path: Path) -> list[Installation]:
    """Read the records file. A missing file is treated as empty.

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
