"""What stands in clients' files: on record, or found there because it starts Paddock."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.clients.applying import content_of
from paddock.clients.destination import spot_in
from paddock.clients.editing.document import ConfigurationError
from paddock.clients.entries import server_started_by
from paddock.servers.installations import Installation, read_installations

if TYPE_CHECKING:
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
    def place(self) -> tuple[Path, str]:
        """What tells it from others, whatever path leads to the file."""
        return self.file.resolve(), self.key


def standing_on_record() -> list[Standing]:
    """Everything that is on record, once for each place."""
    return list({one.place: one for one in map(_of_record, read_installations())}.values())


def standing_in(destination: Destination) -> list[Standing]:
    """What is on record of the files of a client, and what else there starts Paddock."""
    files = {file.resolve() for file in destination.files}
    found = {one.place: one for one in standing_on_record() if one.place[0] in files}
    for file in destination.files:
        # A file that cannot be read has its own complaint when something is done with it.
        with suppress(ConfigurationError):
            for one in _starting_paddock(destination, file):
                found.setdefault(one.place, one)
    return list(found.values())


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
    return Standing(one.client, Path(one.file), one.key, one.scope, one.server)
