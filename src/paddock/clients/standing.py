"""What stands in clients' files: on record, or found there because it starts Paddock."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.clients.applying import read_content
from paddock.clients.destination import make_entry_location
from paddock.clients.entries import find_started_server
from paddock.clients.recording import EntryIdentity, resolve_recorded_file, get_entry_identity
from paddock.errors import PaddockError
from paddock.servers.installations import Installation, read_installations

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.clients.destination import InstallDestination


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


def deduplicate_entries(standing: Iterable[InstalledEntry], client: str | None = None) -> list[InstalledEntry]:
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
