"""The command line that puts an entry back as it was installed.

It comes from the record. Values of variables and headers are secrets: it names them, and the user
has to give them again.
"""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

from paddock.clients.destination import FILE, USER
from paddock.clients.secrets import KNOWN, shown_url
from paddock.servers.variables import OPTIONS_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.clients.placing import Undo
    from paddock.clients.shapes import Entry, Shape
    from paddock.clients.standing import Standing


def installing_again(one: Standing, shape: Shape, undo: Undo | None) -> str:
    """How to install what stands, or stood, in a place."""
    words = ["paddock", "install", one.client, one.server, "--name", one.key]
    if one.scope == FILE:
        words += ["--file", str(one.file)]
    elif one.scope != USER:
        words += ["--project", one.scope]
    entry = None if undo is None else shape.read(undo.entry)
    if entry is None:
        return shlex.join(words)
    if entry.url is not None and shown_url(entry.url) == entry.url:
        words += ["--http", entry.url]
    given = " ".join(_to_give_again(entry))
    return f"{shlex.join(words)}{' with, as before: ' if given else ''}{given}"


def _to_give_again(entry: Entry) -> Iterator[str]:
    if entry.url is not None and shown_url(entry.url) != entry.url:
        yield "--http URL"
    yield from (f"--header {name}:VALUE" for name in entry.headers)
    for name, value in entry.env.items():
        if name == OPTIONS_VARIABLE:
            yield from (f"--option {option}=VALUE" for option in _options(value))
        elif name not in KNOWN:
            yield f"--env {name}=VALUE"
    yield from (f"--env {name}" for name in entry.passed)


def _options(value: str) -> list[str]:
    try:
        tools = json.loads(value)
    except ValueError:
        return []
    if not isinstance(tools, dict):
        return []
    return [
        f"{tool}.{name}" for tool, one in tools.items() if isinstance(one, dict) for name in one
    ]
