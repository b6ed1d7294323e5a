"""Whether the server that an entry starts is still there, and whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paddock.clients.entries import has_server_name, find_started_server
from paddock.clients.interpreters import EntryProblem
from paddock.errors import PaddockError
from paddock.extensions.errors import ExtensionError
from paddock.files import path_exists
from paddock.servers.api import get_server
from paddock.servers.errors import ServerNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.clients.shapes import ConfigEntry


def find_server_problems(entry: ConfigEntry) -> Iterator[EntryProblem]:
    """Why the server of an entry cannot be served, if so."""
    name = None if entry.url is not None else find_started_server(entry)
    if name is None:
        return
    if not has_server_name(entry):
        path = name if path_exists(Path(name)) else name.rpartition(":")[0] or name
        if not path_exists(Path(path)):
            yield EntryProblem(f"there is no {path} any more", "put it back, or uninstall the entry")
        return
    try:
        server = get_server(name)
    except (ServerNotFoundError, ExtensionError) as error:
        message = f"the server {name!r} does not exist any more"
        yield EntryProblem(message, error.hint or "create it again, or uninstall the entry")
        return
    try:
        server.load()
    except PaddockError as error:
        remedy = error.hint or f"mend its definition: paddock edit {name}"
        yield EntryProblem(f"the server {name!r} is broken: {error.message}", remedy)
