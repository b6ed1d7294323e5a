"""The command line that puts an entry back as it was installed.

It comes from the record. Values of variables and headers are secrets: it names them, and the user
has to give them again.
"""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

from paddock.clients.destination import FILE_SCOPE, USER_SCOPE
from paddock.clients.secrets import PUBLIC_VARIABLES, mask_url
from paddock.servers.variables import OPTIONS_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.clients.placing import UndoRecord
    from paddock.clients.shapes import ConfigEntry, EntryFormat
    from paddock.clients.standing import InstalledEntry


def format_reinstall_command(one: InstalledEntry, shape: EntryFormat, undo: UndoRecord | None) -> str:
    """How to install what stands, or stood, in a place."""
    words = ["paddock", "install", one.client, one.server, "--name", one.key]
    if one.scope == FILE_SCOPE:
        words += ["--file", str(one.file)]
    elif one.scope != USER_SCOPE:
        words += ["--project", one.scope]
    entry = None if undo is None else shape.parse_entry(undo.entry)
    if entry is None:
        return shlex.join(words)
    if entry.url is not None and mask_url(entry.url) == entry.url:
        words += ["--http", entry.url]
    given = " ".join(_list_required_options(entry))
    return f"{shlex.join(words)}{' with, as before: ' if given else ''}{given}"


def _list_required_options(entry: ConfigEntry) -> Iterator[str]:
    if entry.url is not None and mask_url(entry.url) != entry.url:
        yield "--http URL"
    yield from (f"--header {name}:VALUE" for name in entry.headers)
    for name, value in entry.env.items():
        if name == OPTIONS_VARIABLE:
            yield from (f"--option {option}=VALUE" for option in _list_tool_options(value))
        elif name not in PUBLIC_VARIABLES:
            yield f"--env {name}=VALUE"
    yield from (f"--env {name}" for name in entry.forwarded_variables)


def _list_tool_options(value: str) -> list[str]:
    try:
        tools = json.loads(value)
    except ValueError:
        return []
    if not isinstance(tools, dict):
        return []
    return [
        f"{tool}.{name}" for tool, one in tools.items() if isinstance(one, dict) for name in one
    ]
