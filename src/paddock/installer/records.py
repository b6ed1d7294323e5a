"""The records of installations, as installing and uninstalling need them.

The file of records belongs to `paddock.named_servers`. Here is what a record keeps for uninstalling, and
how a record and the file that it is about change together: a record is written before the file, so
that whatever stands in a client's file is known, and is put back when the file cannot be written.

Whose an entry is that stands in a client's file.

An entry is Paddock's when it starts Paddock, is what we wrote, or leads to the address that we
wrote. Whatever else stands under a key of ours belongs to the user.

What stands in clients' files: on record, or found there because it starts Paddock.
"""

from __future__ import annotations

import os
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec import structs

from paddock.errors import PaddockError
from paddock.files import path_exists
from paddock.installer.apps import UnsupportedClientError, find_client
from paddock.installer.config_files.data_changes import is_same_data
from paddock.installer.entry_builder import find_started_server
from paddock.installer.entry_location import UndoRecord
from paddock.installer.file_writer import read_content
from paddock.installer.locations import make_entry_location
from paddock.named_servers.api import get_server
from paddock.named_servers.installations import (
    Installation,
    read_installations,
    update_installations,
)
from paddock.named_servers.named_server import NamedServer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from paddock.installer.client_app import Client
    from paddock.installer.entry_builder import ServerReference
    from paddock.installer.entry_location import EntryLocation
    from paddock.installer.locations import InstallDestination


EntryIdentity = tuple[Path, tuple[str, ...], str]
"""What tells an entry from all others: the file itself, the keys that lead to its servers, and the
key of the entry. Several clients may read the same entry, or other servers of the same file."""


def get_entry_identity(client: str, file: Path, key: str) -> EntryIdentity:
    """The place of an entry of a client, whatever path leads to the file."""
    path: tuple[str, ...] = ()
    with suppress(UnsupportedClientError):  # of another version of Paddock
        path = find_client(client).get_servers_path(file)
    return _resolve_links(file), path, key


def resolve_recorded_file(record: Installation) -> Path:
    """The file that an installation is in; where a link leads elsewhere now, it is not that."""
    file = Path(record.file)
    is_elsewhere = record.real and str(_resolve_links(file)) != record.real
    return Path(record.real) if is_elsewhere and path_exists(Path(record.real)) else file


def _resolve_links(file: Path) -> Path:
    """The file without links, also where they lead in a circle."""
    return Path(os.path.realpath(file))


def group_records_by_entry(file: Path) -> dict[EntryIdentity, list[Installation]]:
    """What is recorded of a file by place, in the order in which the entries were put in."""
    real = _resolve_links(file)
    found: dict[EntryIdentity, list[Installation]] = {}
    for one in read_installations():
        place = get_entry_identity(one.client, resolve_recorded_file(one), one.key)
        if place[0] == real:
            found.setdefault(place, []).append(one)
    return found


def find_records(spot: EntryLocation) -> list[Installation]:
    """What is recorded of one place; several where several clients read the same entry."""
    place = get_entry_identity(spot.client.id, spot.file, spot.key)
    return group_records_by_entry(spot.file).get(place, [])


def decode_undo_record(records: list[Installation]) -> UndoRecord | None:
    """What the newest record of a place keeps for uninstalling; None when it is of no use."""
    for one in reversed(records):
        with suppress(msgspec.ValidationError):
            if one.splice is not None:
                return msgspec.convert(one.splice, UndoRecord)
    return None


def attach_undo_record(record: Installation, undo: UndoRecord | None) -> Installation:
    """A record that keeps this for uninstalling."""
    kept = None if undo is None else msgspec.json.decode(msgspec.json.encode(undo))
    return structs.replace(record, splice=kept)


@contextmanager
def record_installations(new: list[Installation], changed: list[Installation]) -> Iterator[None]:
    """Have installations on record while and after their file is written, unless that fails.

    New ones come last, whatever was in their place; those that are changed keep theirs.
    """
    before: list[Installation] = []

    def add(records: list[Installation]) -> list[Installation]:
        before[:] = records
        kept = [one for one in records if not _contains_record(one, new)]
        unknown = [one for one in changed if not _contains_record(one, records)]
        return [*_replace_changed_records(kept, changed), *unknown, *new]

    def put_back(records: list[Installation]) -> list[Installation]:
        ours = [*new, *changed]
        others = [one for one in records if not _contains_record(one, ours)]
        known = [one for one in before if _contains_record(one, [*ours, *others])]
        added = [one for one in others if not _contains_record(one, before)]
        return [*_replace_changed_records(known, others), *added]

    update_installations(add)
    try:
        yield
    except BaseException:
        # The reason for the failure matters more than a record that is of no use any more.
        with suppress(PaddockError, OSError):
            update_installations(put_back)
        raise


def replace_records(
    gone: list[Installation], changed: list[Installation], back: list[Installation]
) -> None:
    """Forget some records, keep others in a new form, in their order, and bring others back."""

    def change(records: list[Installation]) -> list[Installation]:
        kept = [one for one in records if not _contains_record(one, [*gone, *back])]
        return [*_replace_changed_records(kept, changed), *back]

    update_installations(change)


def _replace_changed_records(
    records: list[Installation], changed: list[Installation]
) -> list[Installation]:
    forms = {(one.file, one.client, one.key): one for one in changed}
    return [forms.get((one.file, one.client, one.key), one) for one in records]


def _contains_record(record: Installation, others: list[Installation]) -> bool:
    return any(record.is_same_entry(other) for other in others)


def identify_server(client: Client, data: object, records: list[Installation]) -> str | None:
    """The server of Paddock's that an entry stands for; None when the entry is not Paddock's.

    `records` are those of the place that it stands in.
    """
    entry = client.shape.parse_entry(data)
    started = None if entry is None or entry.url is not None else find_started_server(entry)
    if started is not None:
        return started
    undo = decode_undo_record(records)
    if undo is None:
        return None
    written = client.shape.parse_entry(undo.entry)
    has_url = entry is not None and entry.url is not None
    if has_url and written is not None and entry is not None and entry.url == written.url:
        return records[-1].server
    return records[-1].server if is_same_data(data, undo.entry) else None


def has_same_key(one: str, other: ServerReference, key: str) -> bool:
    """Whether two named servers are both called this in clients' files, and so take turns."""
    with suppress(PaddockError):
        meant = other if isinstance(other, NamedServer) else get_server(other)
        return meant.key == get_server(one).key == key
    return False


@dataclass(frozen=True)
class InstalledEntry:
    """A server that stands in a client's file."""

    client: str
    """The id of the client."""
    file: Path
    key: str
    scope: str
    server: str
    """The name of the server, or its path."""

    @property
    def identity(self) -> EntryIdentity:
        """What tells its entry from others; several clients may read the same."""
        return get_entry_identity(self.client, self.file, self.key)


def list_recorded_entries() -> list[InstalledEntry]:
    """Everything that is on record, for each client that it was installed into."""
    return list(map(_convert_record, read_installations()))


def deduplicate_entries(
    standing: Iterable[InstalledEntry], client: str | None = None
) -> list[InstalledEntry]:
    """One of the clients that read an entry, for each entry: this one, or else the last."""
    found: dict[EntryIdentity, InstalledEntry] = {}
    for one in standing:
        if one.identity not in found or found[one.identity].client != client:
            found[one.identity] = one
    return list(found.values())


def find_installed_entries(destination: InstallDestination) -> list[InstalledEntry]:
    """What is on record of the files of a client, and what else there starts Paddock."""
    client = destination.client
    paths = {get_entry_identity(client.id, file, "")[:2] for file in destination.files}
    recorded = [one for one in list_recorded_entries() if one.identity[:2] in paths]
    found = {one.identity: one for one in deduplicate_entries(recorded, client.id)}
    for file in destination.files:
        # A file that cannot be read has its own complaint when something is done with it.
        with suppress(PaddockError):
            for one in _scan_file(destination, file):
                found.setdefault(one.identity, one)
    return [replace(one, client=client.id) for one in found.values()]


def _scan_file(destination: InstallDestination, file: Path) -> list[InstalledEntry]:
    client, scope = destination.client, destination.scope
    entries = make_entry_location(client, file, "", scope).read_entries(read_content(file))
    read = ((key, client.shape.parse_entry(data)) for key, data in entries.items())
    started = ((key, find_started_server(entry)) for key, entry in read if entry is not None)
    return [
        InstalledEntry(client.id, file, key, scope, server)
        for key, server in started
        if server is not None
    ]


def _convert_record(one: Installation) -> InstalledEntry:
    return InstalledEntry(one.client, resolve_recorded_file(one), one.key, one.scope, one.server)
