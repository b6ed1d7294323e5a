"""Agent programs with one server configured, each with a home directory of its own.

None of them needs an account: `mcp list` connects by itself, and where it does not, the agent
talks to a model on this machine.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clients.environments import CLAUDE, CLINE, COPILOT, GEMINI, GOOSE
from tests.clients.fake_model import FakeModel, fake_model
from tests.clients.programs import Ended, run, scratch_home

Json = dict[str, Any]

NAME = "slow"
QUESTION = "Are you ready?"
PATIENCE_MS = "60000"


@dataclass(frozen=True)
class Turn:
    """What an agent printed, and what it offered to its model."""

    ended: Ended
    offered: frozenset[str]
    tool_results: tuple[str, ...]


@dataclass(frozen=True)
class Start:
    """How an agent is started: its command and its environment, and what goes before."""

    command: Sequence[str]
    environment: dict[str, str]
    before: Sequence[str] = ()


Agent = Callable[[Path, Sequence[str], FakeModel], Start]


def take_turn(agent: Agent, server: Sequence[str]) -> Turn:
    """Run an agent with a server that is started by a command."""
    with scratch_home() as environment, fake_model() as model:
        home = Path(environment["HOME"])
        workplace = home / "work"
        workplace.mkdir()
        start = agent(home, server, model)
        environment.update(start.environment)
        if start.before:
            run(start.before, cwd=workplace, environment=environment)
        ended = run(start.command, cwd=workplace, environment=environment)
        return Turn(ended, frozenset(model.offered), tuple(model.tool_results))


def claude_list(home: Path, server: Sequence[str], _model: FakeModel) -> Start:
    """Claude Code's check of its servers."""
    _write(home / ".claude.json", {"mcpServers": {NAME: _entry(server)}})
    return Start([CLAUDE.executable("claude"), "mcp", "list"], _quiet_claude())


def claude(home: Path, server: Sequence[str], model: FakeModel) -> Start:
    """Claude Code, told to wait for its servers before the first turn."""
    _write(home / ".claude.json", {"mcpServers": {NAME: _entry(server)}})
    command = [CLAUDE.executable("claude"), "-p", QUESTION, "--allowedTools", f"mcp__{NAME}"]
    environment = {
        **_quiet_claude(),
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_BASE_URL": model.url,
        "ENABLE_TOOL_SEARCH": "false",
        "MCP_CONNECTION_NONBLOCKING": "false",
        "MCP_CONNECT_TIMEOUT_MS": PATIENCE_MS,
    }
    return Start(command, environment)


def gemini_list(home: Path, server: Sequence[str], _model: FakeModel) -> Start:
    """Gemini CLI's check of its servers, which takes five seconds at most."""
    _write(home / ".gemini" / "settings.json", {"mcpServers": {NAME: _entry(server)}})
    command = [GEMINI.executable("gemini"), "mcp", "list"]
    return Start(command, {"GEMINI_CLI_TRUST_WORKSPACE": "true"})


def cline(home: Path, server: Sequence[str], model: FakeModel) -> Start:
    """Cline, which gives a server three seconds for its first answer."""
    settings = home / ".cline" / "data" / "settings" / "cline_mcp_settings.json"
    _write(settings, {"mcpServers": {NAME: _entry(server)}})
    program, provider = CLINE.executable("cline"), "openai-compatible"
    account = ["-p", provider, "-k", "none", "-m", "fake", "-b", f"{model.url}/v1"]
    return Start(
        [program, "--json", "-P", provider, "-m", "fake", QUESTION],
        {"CLINE_SESSION_BACKEND_MODE": "local"},  # or it leaves a process behind
        before=[program, "auth", *account],
    )


def copilot(home: Path, server: Sequence[str], model: FakeModel) -> Start:
    """Copilot CLI with a model of one's own."""
    entry = {"type": "local", "tools": ["*"], **_entry(server)}
    _write(home / ".copilot" / "mcp-config.json", {"mcpServers": {NAME: entry}})
    command = [COPILOT.executable("copilot"), "-p", QUESTION, "--allow-all-tools"]
    environment = {
        "COPILOT_OFFLINE": "true",
        "COPILOT_PROVIDER_BASE_URL": f"{model.url}/v1",
        "COPILOT_MODEL": "fake",
    }
    return Start(command, environment)


def goose(home: Path, server: Sequence[str], model: FakeModel) -> Start:
    """Goose with a model of one's own."""
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
    program = next((GOOSE.prepare() / "node_modules" / "@aaif").glob("*/bin/goose"))
    environment = {
        "GOOSE_DISABLE_KEYRING": "1",
        "GOOSE_MODE": "auto",
        "GOOSE_MODEL": "fake",
        "GOOSE_PROVIDER": "openai",
        "OPENAI_API_KEY": "none",
        "OPENAI_HOST": model.url,
    }
    return Start([str(program), "run", "--no-session", "-t", QUESTION], environment)


def _entry(server: Sequence[str]) -> Json:
    command, *arguments = server
    return {"command": command, "args": arguments}


def _quiet_claude() -> dict[str, str]:
    return {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}


def _write(file: Path, settings: Json) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(settings), encoding="utf-8")
