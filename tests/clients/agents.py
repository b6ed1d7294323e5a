"""Agent programs with one server configured by hand, each with a home directory of its own."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clients import starts
from tests.clients.fake_model import fake_model
from tests.clients.programs import Ended, run, scratch_home
from tests.clients.starts import Place, Starting

Json = dict[str, Any]

NAME = "slow"


@dataclass(frozen=True)
class Turn:
    """What an agent printed, and what it offered to its model."""

    ended: Ended
    offered: frozenset[str]
    tool_results: tuple[str, ...]


@dataclass(frozen=True)
class Agent:
    """An agent with a server that a command starts, and the way the server is started."""

    configure: Callable[[Path, Sequence[str]], None]
    start: Starting


def take_turn(agent: Agent, server: Sequence[str]) -> Turn:
    """Run an agent with a server that is started by a command."""
    with scratch_home() as environment, fake_model() as model:
        home = Path(environment["HOME"])
        agent.configure(home, server)
        ended = begin(agent.start, Place(home, home / "work", NAME, model.url), environment)
        return Turn(ended, frozenset(model.offered), tuple(model.tool_results))


def begin(starting: Starting, place: Place, environment: dict[str, str]) -> Ended:
    """Start a program in its place, and wait for its end."""
    place.work.mkdir(exist_ok=True)
    start = starting(place)
    whole = {**environment, **start.environment}
    if start.before:
        run(start.before, cwd=place.work, environment=whole)
    return run(start.command, cwd=place.work, environment=whole)


def _tell_claude(home: Path, server: Sequence[str]) -> None:
    _write(home / ".claude.json", {"mcpServers": {NAME: _entry(server)}})


def _tell_gemini(home: Path, server: Sequence[str]) -> None:
    _write(home / ".gemini" / "settings.json", {"mcpServers": {NAME: _entry(server)}})


def _tell_cline(home: Path, server: Sequence[str]) -> None:
    settings = home / ".cline" / "data" / "settings" / "cline_mcp_settings.json"
    _write(settings, {"mcpServers": {NAME: _entry(server)}})


def _tell_copilot(home: Path, server: Sequence[str]) -> None:
    entry = {"type": "local", "tools": ["*"], **_entry(server)}
    _write(home / ".copilot" / "mcp-config.json", {"mcpServers": {NAME: entry}})


def _tell_goose(home: Path, server: Sequence[str]) -> None:
    command, *arguments = server
    extension = {
        "enabled": True,
        "type": "stdio",
        "name": NAME,
        "description": "A slow server",
        "cmd": command,
        "args": arguments,
        "envs": {},
        "env_keys": [],
        "timeout": 60,
    }
    # JSON is YAML as well.
    _write(home / ".config" / "goose" / "config.yaml", {"extensions": {NAME: extension}})


def _entry(server: Sequence[str]) -> Json:
    command, *arguments = server
    return {"command": command, "args": arguments}


def _write(file: Path, settings: Json) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(settings), encoding="utf-8")


CLAUDE_LIST = Agent(_tell_claude, starts.claude_list)
CLAUDE = Agent(_tell_claude, starts.claude)
GEMINI_LIST = Agent(_tell_gemini, starts.gemini_list)
CLINE = Agent(_tell_cline, starts.cline)
COPILOT = Agent(_tell_copilot, starts.copilot)
GOOSE = Agent(_tell_goose, starts.goose)
