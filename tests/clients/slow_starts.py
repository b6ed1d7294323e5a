"""Clients that start a server which needs longer to load than they wait for an answer."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.clients import agents
from tests.clients.agents import Turn
from tests.clients.conversation import Conversation, conversations
from tests.clients.programs import SDK_CLIENTS, Ended, Json, SdkClient, inspect, served, tapped

SERVER = served("slow_server.py")


@dataclass(frozen=True)
class Outcome:
    """What a client made of the slow server, and what the server saw of it."""

    conversations: list[Conversation]
    report: Json
    turn: Turn | None = None


@dataclass(frozen=True)
class SlowStart:
    """A client, and what it does with the slow server."""

    name: str
    act: Callable[[list[str]], tuple[Json, Turn | None]]

    def run(self, directory: Path) -> Outcome:
        """Run the client, taking its conversation down in a directory."""
        report, turn = self.act(tapped(directory, SERVER))
        return Outcome(conversations(directory), report, turn)


def _sdk(client: SdkClient) -> SlowStart:
    return SlowStart(client.name, lambda server: (client.report("greet", server), None))


def _inspector(era: str) -> SlowStart:
    def act(server: list[str]) -> tuple[Json, Turn | None]:
        return {"tools": _result(inspect(era, server, "tools/list"))}, None

    return SlowStart(f"inspector-{era}", act)


def _agent(name: str, agent: agents.Agent) -> SlowStart:
    return SlowStart(name, lambda server: ({}, agents.take_turn(agent, server)))


def _result(ended: Ended) -> Json:
    assert ended.code == 0, ended.errors
    found: Json = json.loads(ended.output)["result"]
    return found


LIBRARIES = tuple(_sdk(client) for client in SDK_CLIENTS)
INSPECTORS = (_inspector("legacy"), _inspector("modern"))
CLAUDE_LIST = _agent("claude-list", agents.CLAUDE_LIST)
GEMINI_LIST = _agent("gemini-list", agents.GEMINI_LIST)
CLAUDE = _agent("claude", agents.CLAUDE)
CLINE = _agent("cline", agents.CLINE)
COPILOT = _agent("copilot", agents.COPILOT)
GOOSE = _agent("goose", agents.GOOSE)
TURNS = (CLINE, CLAUDE, COPILOT, GOOSE)
# Those with the strictest limits first.
SLOW_STARTS = (GEMINI_LIST, CLAUDE_LIST, *TURNS, *LIBRARIES, *INSPECTORS)
