"""Whether the server that an entry starts is still there, and whole."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paddock.clients.entries import is_named, server_started_by
from paddock.clients.interpreters import Problem
from paddock.errors import PaddockError
from paddock.extensions.errors import ExtensionError
from paddock.files import is_there
from paddock.servers.api import get_server
from paddock.servers.errors import ServerNotFoundError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.clients.shapes import Entry


def server_problem(entry: Entry) -> Iterator[Problem]:
    """Why the server of an entry cannot be served, if so."""
    name = None if entry.url is not None else server_started_by(entry)
    if name is None:
        return
    if not is_named(entry):
        path = name if is_there(Path(name)) else name.rpartition(":")[0] or name
        if not is_there(Path(path)):
            yield Problem(f"there is no {path} any more", "put it back, or uninstall the entry")
        return
    try:
        server = get_server(name)
    except (ServerNotFoundError, ExtensionError) as error:
        message = f"the server {name!r} does not exist any more"
        yield Problem(message, error.hint or "create it again, or uninstall the entry")
        return
    try:
        server.load()
    except PaddockError as error:
        remedy = error.hint or f"mend its definition: paddock edit {name}"
        yield Problem(f"the server {name!r} is broken: {error.message}", remedy)
