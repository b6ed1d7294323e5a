"""What the tools of a server need that is not there where a client would start it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from paddock.clients.checking import CheckFailedError, environment_for
from paddock.errors import PaddockError
from paddock.servers.variables import OPTIONS_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.authoring.tool import Tool
    from paddock.clients.client import Client
    from paddock.clients.shapes import Entry
    from paddock.servers.named_server import NamedServer


class Lack(NamedTuple):
    """Something that a tool needs and does not have."""

    tool: str
    text: str
    is_required: bool

    @property
    def note(self) -> str:
        """What to tell whoever installs the server all the same."""
        how = "does not work" if self.is_required else "does not do all it could"
        return f"The tool {self.tool} {how}: {self.text}"


def lacks(client: Client, server: NamedServer | None, entry: Entry) -> list[Lack]:
    """What is missing for a server that a client starts; of others nothing is known here."""
    if entry.url is not None or server is None:
        return []
    try:
        loaded = server.load()
    except PaddockError:
        return []  # which is told by whoever checks the server itself
    given = entry.env.get(OPTIONS_VARIABLE)
    if given:
        loaded.set_tool_options(json.loads(given))
    return list(_lacks(loaded.tools, environment_for(client, entry)))


def check_required(found: Iterable[Lack]) -> None:
    """Make sure that every tool has what it cannot work without.

    Raises:
        CheckFailedError: when one has not.
    """
    for one in found:
        if one.is_required:
            raise CheckFailedError(
                f"the tool {one.tool} cannot work: {one.text}",
                hint="give the variable with --env NAME for the client to pass it on, or install "
                "all the same with --no-check",
            )


def _lacks(tools: Iterable[Tool], environment: dict[str, str]) -> Iterable[Lack]:
    for tool in tools:
        text = tool.needs.missing(tool.option_values, environment) if tool.needs else ""
        if text and tool.needs:
            yield Lack(tool.name, text, tool.needs.is_required)
