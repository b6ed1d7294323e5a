"""Where each server has been installed: one file of records in the data directory.

What is written into a client's file, and how it is taken out again, is `paddock.installer`.
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
    from collections.abc import Callable, Iterable

SCHEMA_VERSION = 1


class Installation(msgspec.Struct, frozen=True, kw_only=True):
    """A server stands in a client's file."""

    server: str
    """The name of the server."""
    client: str
    """The id of the client."""
    file: str
    """The client's file, absolute."""
    real: str = ""
    """The same without links, as they were."""
    key: str
    """Under which name it stands there."""
    scope: str = "user"
    """`user`, `file`, or the directory of a project."""
    entry_kind: str = "stdio"
    """How the client reaches it: `stdio` or `http`."""
    created: str = ""
    """When, in UTC, as ISO 8601 has it."""
    splice: dict[str, Any] | None = None
    """What is needed to restore the file as it was."""

    def __repr__(self) -> str:
        """Without what is needed to restore the file, which may hold secrets."""
        shown = {name: getattr(self, name) for name in self.__struct_fields__ if name != "splice"}
        return f"Installation({', '.join(f'{name}={value!r}' for name, value in shown.items())})"

    def is_same_entry(self, other: Installation) -> bool:
        """Whether both stand in the same place of the same file."""
        return (self.file, self.client, self.key) == (other.file, other.client, other.key)


class _SchemaHeader(msgspec.Struct):
    schema: int = SCHEMA_VERSION


class _InstallationRecords(_SchemaHeader):
    installations: list[Installation] = []


def get_installations_path() -> Path:
    """The file of all records; it need not exist yet."""
    return Path(get_data_directory()) / "installations.json"


def read_installations(server: str | None = None) -> list[Installation]:
    """All records, or those of one server, in the order in which they were made.

    A damaged file of records is set aside, and there are none then.

    Raises:
        LoadError: when a newer Paddock has written it, or it cannot be read.
    """
    path = get_installations_path()
    try:
        found = _read_records(path)
    except msgspec.MsgspecError:
        with lock_file(path):
            found = _read_or_set_aside(path)
    return [one for one in found if server is None or one.server == server]


def add_installation(installation: Installation) -> None:
    """Add a record; it replaces the one of the same place."""

    def add(records: list[Installation]) -> list[Installation]:
        return [*(one for one in records if not one.is_same_entry(installation)), installation]

    update_installations(add)


def remove_installations(gone: Iterable[Installation]) -> None:
    """Remove the records of these places."""
    places = list(gone)

    def remove(records: list[Installation]) -> list[Installation]:
        return [one for one in records if not any(one.is_same_entry(place) for place in places)]

    update_installations(remove)


def update_installations(change: Callable[[list[Installation]], list[Installation]]) -> None:
    """Put what a function makes of all records in their place; nobody else writes meanwhile.

    Raises:
        LoadError: when a newer Paddock has written the file of records; it is left as it is.
        FileBusyError: when another process does not finish.
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
    """The records; a file that cannot be understood gets another name. Within the lock."""
    try:
        return _read_records(path)
    except msgspec.MsgspecError:
        now = datetime.now(UTC)
        path.rename(path.with_name(f"{path.stem}.broken-{now:%Y-%m-%dT%H-%M-%S}.json"))
        return []


def _read_records(path: Path) -> list[Installation]:
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
            f"has schema {schema}, expected {SCHEMA_VERSION}",
            where=str(path),
            hint="a newer Paddock has written it: update this one",
        )
    return msgspec.json.decode(data, type=_InstallationRecords).installations
