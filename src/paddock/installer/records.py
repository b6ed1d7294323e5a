"""Installation records as needed for installing and uninstalling, and ownership of entries.

`paddock.named_servers.installations` owns the file of records. This module relates records to
entries in clients' files: an entry belongs to Paddock if it starts Paddock, equals the entry that
Paddock wrote, or has the URL that Paddock wrote. Any other entry under the same key belongs to the
user.
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
    from collections.abc import Generator, Iterable

    from paddock.installer.client_app import Client
    from paddock.installer.entry_builder import ServerReference
    from paddock.installer.entry_location import EntryLocation
    from paddock.installer.locations import InstallDestination


EntryIdentity = tuple[Path, tuple[str, ...], str]
"""Identifies an entry: the file without links, the path of the servers in it, and the key. Several
clients may read the same entry, or different servers of the same file."""


def get_entry_identity(client: str, file: Path, key: str) -> EntryIdentity:
    """Return a value that identifies an entry, to match installation records with entries in files.

    It is the same for all clients that read the entry, and for all symbolic links to the file.
    """
    path: tuple[str, ...] = ()
    with suppress(UnsupportedClientError):  # recorded by another version of Paddock
        path = find_client(client).get_servers_path(file)
    return _resolve_links(file), path, key


def resolve_recorded_file(record: Installation) -> Path:
    """Return an installation's file, even if a link that led to it has been changed since."""
    file = Path(record.file)
    has_moved = record.real and str(_resolve_links(file)) != record.real
    return Path(record.real) if has_moved and path_exists(Path(record.real)) else file


def _resolve_links(file: Path) -> Path:
    # Path.resolve raises an error for circular links, but realpath does not.
    return Path(os.path.realpath(file))


def group_records_by_entry(file: Path) -> dict[EntryIdentity, list[Installation]]:
    """Return a file's installation records, grouped by entry.

    The entries are in insertion order.
    """
    real_file = _resolve_links(file)
    groups: dict[EntryIdentity, list[Installation]] = {}
    for record in read_installations():
        identity = get_entry_identity(record.client, resolve_recorded_file(record), record.key)
        if identity[0] == real_file:
            groups.setdefault(identity, []).append(record)
    return groups


def find_records(location: EntryLocation) -> list[Installation]:
    """Return the records of one entry.

    There is more than one record if multiple clients read the entry.
    """
    identity = get_entry_identity(location.client.id, location.file, location.key)
    return group_records_by_entry(location.file).get(identity, [])


def decode_undo_record(records: list[Installation]) -> UndoRecord | None:
    """Return an entry's undo record from the newest installation record that has a valid one.

    If the result is None, the entry can still be removed, but the text of the file before the
    insertion cannot be restored.
    """
    for record in reversed(records):
        with suppress(msgspec.ValidationError):
            if record.splice is not None:
                return msgspec.convert(record.splice, UndoRecord)
    return None


def attach_undo_record(record: Installation, undo: UndoRecord | None) -> Installation:
    """Return a copy of a record with another undo record."""
    data = None if undo is None else msgspec.json.decode(msgspec.json.encode(undo))
    return structs.replace(record, splice=data)


@contextmanager
def record_installations(new: list[Installation], changed: list[Installation]) -> Generator[None]:
    """Write installation records before the `with` block, which writes the client's file.

    Because the records are written first, every entry has a record even if the process is killed in
    between. If the block raises an error, the previous records are restored.

    Args:
        new: Records to append. They replace older records of the same entries.
        changed: Records that replace older ones in the same position.
    """
    written = [*new, *changed]
    previous = [record for record in read_installations() if _has_record(written, record)]
    update_records(changed=changed, added=new)
    try:
        yield
    except BaseException:
        # The error from the body matters more than a record that could not be restored.
        with suppress(PaddockError, OSError):
            update_records(removed=written, added=previous)
        raise


def update_records(
    *,
    removed: Iterable[Installation] = (),
    changed: Iterable[Installation] = (),
    added: Iterable[Installation] = (),
) -> None:
    """Remove, replace and append installation records, which are kept in insertion order.

    Args:
        removed: Records to remove, except those that are also in `changed`.
        changed: Records that replace older ones in the same position.
        added: Records to append. Older records of the same entries are removed.
    """
    removed, changed, added = list(removed), list(changed), list(added)

    def update(records: list[Installation]) -> list[Installation]:
        updated = [
            next(filter(record.is_same_entry, changed), record)
            for record in records
            if _has_record(changed, record) or not _has_record([*removed, *added], record)
        ]
        return [
            *updated,
            *(record for record in changed if not _has_record(updated, record)),
            *added,
        ]

    update_installations(update)


def _has_record(records: Iterable[Installation], record: Installation) -> bool:
    """Return whether there is a record of the same entry, regardless of its other fields."""
    return any(map(record.is_same_entry, records))


def identify_server(client: Client, data: object, records: list[Installation]) -> str | None:
    """Return the server of an entry that belongs to Paddock, or None for any other entry.

    An entry belongs to Paddock if its command starts Paddock, or if it is still the recorded one.
    Only such entries are updated or removed without the user's consent.

    Args:
        client: The client.
        data: The data of the entry.
        records: The records of the entry.
    """
    entry = client.shape.parse_entry(data)
    server = None if entry is None or entry.url is not None else find_started_server(entry)
    if server is not None:
        return server
    undo = decode_undo_record(records)
    if undo is None:
        return None
    recorded_entry = client.shape.parse_entry(undo.entry)
    # An entry with a URL can also come from another program, so the URL must be the recorded one.
    # The headers are not compared, because the user may have changed them.
    url = None if entry is None else entry.url
    has_recorded_url = url is not None and recorded_entry is not None and url == recorded_entry.url
    is_own = has_recorded_url or is_same_data(data, undo.entry)
    return records[-1].server if is_own else None


def has_same_key(server: str, other: ServerReference, key: str) -> bool:
    """Return whether two named servers both use a key, so one may replace the other."""
    with suppress(PaddockError):
        other_server = other if isinstance(other, NamedServer) else get_server(other)
        return other_server.key == get_server(server).key == key
    return False


@dataclass(frozen=True)
class InstalledEntry:
    """A Paddock entry in a client's configuration file, recorded or found in the file."""

    client: str
    """The id of the client."""
    file: Path
    key: str
    scope: str
    server: str
    """The name of the server, or its path."""

    @property
    def identity(self) -> EntryIdentity:
        """A value that identifies the entry, and is the same for all clients that read it."""
        return get_entry_identity(self.client, self.file, self.key)


def list_recorded_entries() -> list[InstalledEntry]:
    """Return all entries with an installation record, once for each client that reads the entry."""
    return [
        InstalledEntry(
            record.client, resolve_recorded_file(record), record.key, record.scope, record.server
        )
        for record in read_installations()
    ]


def deduplicate_entries(
    entries: Iterable[InstalledEntry], client: str | None = None
) -> list[InstalledEntry]:
    """Return each entry once, even if multiple clients read it.

    Args:
        entries: The entries, one for each client.
        client: The id of the client to keep for a shared entry. If this client does not read the
            entry, the last client in `entries` is kept.
    """
    entries_by_identity: dict[EntryIdentity, InstalledEntry] = {}
    for entry in entries:
        known_entry = entries_by_identity.get(entry.identity)
        if known_entry is None or known_entry.client != client:
            entries_by_identity[entry.identity] = entry
    return list(entries_by_identity.values())


def find_installed_entries(destination: InstallDestination) -> list[InstalledEntry]:
    """Return all Paddock entries in a client's configuration files.

    These are the recorded entries, and entries that were added by hand or by another program and
    start Paddock. If another client reads an entry too, it is returned as this client's entry.
    """
    client = destination.client
    paths = {get_entry_identity(client.id, file, "")[:2] for file in destination.files}
    recorded = [entry for entry in list_recorded_entries() if entry.identity[:2] in paths]
    entries = {entry.identity: entry for entry in deduplicate_entries(recorded, client.id)}
    for file in destination.files:
        # A file that cannot be parsed raises its error when an entry in it is changed.
        with suppress(PaddockError):
            for entry in _scan_file(destination, file):
                entries.setdefault(entry.identity, entry)
    return [replace(entry, client=client.id) for entry in entries.values()]


def _scan_file(destination: InstallDestination, file: Path) -> list[InstalledEntry]:
    """Return the entries in a configuration file whose command starts Paddock, recorded or not."""
    client, scope = destination.client, destination.scope
    data_by_key = make_entry_location(client, file, "", scope).read_entries(read_content(file))
    entries_by_key = {key: client.shape.parse_entry(data) for key, data in data_by_key.items()}
    return [
        InstalledEntry(client.id, file, key, scope, server)
        for key, entry in entries_by_key.items()
        if entry is not None and (server := find_started_server(entry)) is not None
    ]
