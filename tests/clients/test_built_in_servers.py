"""The MCP Inspector's command line against the servers that Paddock brings, in both eras."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from paddock import default_servers
from paddock.zoo.opening import open_zoo
from tests.clients.programs import Json, inspect


@pytest.fixture(params=["legacy", "modern"])
def era(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def served(name: str, place: Path) -> Sequence[str]:
    """The command of a server whose data is at a place."""
    return ["env", f"PADDOCK_DATA_DIR={place}", sys.executable, "-m", "paddock", "serve", name]


def result(server: Sequence[str], era: str, method: str, *options: str) -> Json:
    ended = inspect(era, server, method, *options)
    assert ended.code == 0, ended.errors
    found: Json = json.loads(ended.output)["result"]
    return found


@pytest.mark.parametrize("name", sorted(default_servers()))
def test_it_finds_no_fault_with_the_schemas_of_the_tools(
    name: str, era: str, tmp_path: Path
) -> None:
    assert result(served(name, tmp_path), era, "tools/list", "--strict")["tools"]


def test_an_agent_of_the_zoo_comes_as_a_tool_result_a_prompt_and_a_resource(
    era: str, tmp_path: Path
) -> None:
    with open_zoo(f"sqlite:///{tmp_path / 'zoo' / 'zoo.db'}") as zoo:
        zoo.agents.create({"name": "Ada", "systemPrompt": "Think."}, source="web")
    server = served("AgentZoo", tmp_path)
    options = ("--tool-name=agent_zoo_inject", "--tool-arg", "agentId=Ada")
    injected = result(server, era, "tools/call", *options)["structuredContent"]
    assert injected["prompt"].endswith("\n\nThink.")
    [message] = result(server, era, "prompts/get", "--prompt-name=agent_zoo_use_ada")["messages"]
    assert message["content"]["text"].endswith(injected["prompt"])
    [contents] = result(server, era, "resources/read", "--uri=agent-zoo://agents/ada")["contents"]
    assert json.loads(contents["text"])["systemPrompt"] == "Think."
