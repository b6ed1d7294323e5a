"""What the tools of a server need that is not there where a client would start it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from paddock.clients.checking import CheckFailedError, build_client_environment
from paddock.errors import PaddockError
from paddock.servers.variables import OPTIONS_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from paddock.authoring.tool import Tool
    from paddock.clients.client import Client
    from paddock.clients.shapes import ConfigEntry
    from paddock.servers.named_server import NamedServer


class MissingRequirement(NamedTuple):
    """Something that tools need and do not have."""

    tools: tuple[str, ...]
    text: str
    is_required: bool

    @property
    def note(self) -> str:
        """What to tell whoever installs the server all the same."""
        how = "will have no effect" if self.is_required else "could do more"
        return f"{' and '.join(self.tools)} {how}: {self.text}"


def find_missing_requirements(client: Client, server: NamedServer | None, entry: ConfigEntry) -> list[MissingRequirement]:
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
    return _group_missing_requirements(loaded.tools, build_client_environment(client, entry))


def check_requirements(found: Iterable[MissingRequirement]) -> None:
    """Make sure that every tool has what it cannot work without.

    Raises:
        CheckFailedError: when one has not.
    """
    for one in found:
        if one.is_required:
            raise CheckFailedError(
                one.note,
                hint="where a variable is missing, --env NAME has the client pass it on; "
                "--no-check installs all the same",
            )


def _group_missing_requirements(tools: Iterable[Tool], environment: dict[str, str]) -> list[MissingRequirement]:
    """What is missing, each once, with all tools that need it."""
    found: dict[tuple[str, bool], list[str]] = {}
    for tool in tools:
        text = _describe_missing(tool, environment)
        if text and tool.needs:
            found.setdefault((text, tool.needs.is_required), []).append(tool.name)
    return [MissingRequirement(tuple(names), text, flag) for (text, flag), names in found.items()]


def _describe_missing(tool: Tool, environment: dict[str, str]) -> str:
    if tool.needs is None:
        return ""
    try:
        return tool.needs.missing(tool.option_values, environment)
    except Exception as error:  # noqa: BLE001 - whatever the author's function does
        return f"What it needs cannot be found out: {type(error).__name__}: {error}"
