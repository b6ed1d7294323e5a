"""Which agent a command is about."""

from __future__ import annotations

from pathlib import Path

from paddock.cli.complaints import ArgumentError
from paddock.zoo.project import get_default_agent


def resolve_agent_name(name: str | None) -> str:
    """The agent that is named, or the one that works in this project.

    Raises:
        ArgumentError: when there is neither.
    """
    found = name or get_default_agent(Path.cwd())
    if found is None:
        raise ArgumentError(
            "Name an agent",
            hint="paddock zoo list lists them; paddock zoo default AGENT sets one for a project",
        )
    return found
