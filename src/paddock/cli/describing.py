"""A named server for people and for programs: as text, and as what JSON can hold."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from paddock.cli import render

if TYPE_CHECKING:
    from paddock.servers.installations import Installation
    from paddock.servers.named_server import NamedServer

Json = dict[str, object]

PROPERTIES = (
    *("name", "title", "description", "version", "location", "key", "transport"),
    *("tool_names", "prompt_names", "resources", "instructions", "initialization", "options"),
    *("installations", "configuration", "problem"),
)
"""What is told of a server, in this order."""


def location(server: NamedServer) -> str:
    """Where a server comes from: a file, an extension, or Paddock itself."""
    return str(server.location)


def summary(server: NamedServer) -> Json:
    """A server in a list."""
    known = plain(server)
    return {
        key: known[key]
        for key in (
            *("name", "title", "description", "version", "location", "tool_names"),
            *("prompt_names", "installations", "problem"),
        )
    }
