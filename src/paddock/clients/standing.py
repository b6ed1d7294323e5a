"""What stands in clients' files: on record, or found there because it starts Paddock."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.clients.applying import content_of
from paddock.clients.destination import spot_in
from paddock.clients.entries import server_started_by
from paddock.clients.recording import Place, file_of, place_of
from paddock.errors import PaddockError
from paddock.servers.installations import Installation, read_installations

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.clients.destination import Destination


@dataclass(frozen=True)
class Standing:
    """A server that stands in a client's file."""

    client: str
    """The id of the client."""
    file: Path
    key: str
    scope: str
    server: str
    """The name of the server, or its path."""

    @property
    def place(self) -> Place:
        """What tells its entry from others; several clients may read the same."""
        return place_of(self.client, self.file, self.key)


def standing_on_record() -> list[Standing]:
    """Everything that is on record, for each client that it was installed into."""
    return list(map(_of_record, read_installations()))


def each_place_once(standing: Iterable[Standing], client: str | None = None) -> list[Standing]:
    """One of the clients that read an entry, for each entry: this one, or else the last."""
    found: dict[Place, Standing] = {}
    for one in standing:
        if one.place not in found or found[one.place].client != client:
            found[one.place] = one
    return list(found.values())


def standing_in(destination: Destination) -> list[Standing]:
    """What is on record of the files of a client, and what else there starts Paddock."""
    client = destination.client
    paths = {place_of(client.id, file, "")[:2] for file in destination.files}
    recorded = [one for one in standing_on_record() if one.place[:2] in paths]
    found = {one.place: one for one in each_place_once(recorded, client.id)}
    for file in destination.files:
        # A file that cannot be read has its own complaint when something is done with it.
        with suppress(PaddockError):
            for one in _starting_paddock(destination, file):
                found.setdefault(one.place, one)
    return [replace(one, client=client.id) for one in found.values()]


def _starting_paddock(destination: Destination, file: Path) -> list[Standing]:
    client, scope = destination.client, destination.scope
    entries = spot_in(client, file, "", scope).entries_in(content_of(file))
    read = ((key, client.shape.read(data)) for key, data in entries.items())
    started = ((key, server_started_by(entry)) for key, entry in read if entry is not None)
    return [
        Standing(client.id, file, key, scope, server)
        for key, server in started
        if server is not None
    ]


def _of_record(one: Installation) -> Standing:
    return Standing(one.client, file_of(one), one.key, one.scope, one.server)
