"""The MCP Inspector's command line against our server on stdio and HTTP, in both eras."""

import json
from collections.abc import Iterator, Sequence

import pytest

from tests.clients.programs import HERE, Json, inspect, served
from tests.clients.serving import paddock_command, serving

FIXTURE = "fixture_server.py"


@pytest.fixture(scope="module", params=["stdio", "http"])
def server(request: pytest.FixtureRequest) -> Iterator[Sequence[str]]:
    """The command of a server, or its URL."""
    if request.param == "stdio":
        yield served(FIXTURE)
        return
    with serving(paddock_command(str(HERE / FIXTURE))) as url:
        yield [url]


@pytest.fixture(params=["legacy", "modern"])
def era(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def result(server: Sequence[str], era: str, method: str, *options: str) -> Json:
    ended = inspect(era, server, method, *options)
    assert ended.code == 0, ended.errors
    found: Json = json.loads(ended.output)["result"]
    return found


def test_it_finds_no_fault_with_the_schemas_of_the_tools(server: Sequence[str], era: str) -> None:
    tools = result(server, era, "tools/list", "--strict")["tools"]
    assert "measure" in [tool["name"] for tool in tools]


def test_it_calls_a_tool(server: Sequence[str], era: str) -> None:
    options = ("--tool-name=measure", "--tool-arg", "width=2", "height=3.5")
    found = result(server, era, "tools/call", *options)
    assert found["structuredContent"] == {"size": 7, "unit": "m²"}


def test_it_shows_the_reason_of_a_failing_tool(server: Sequence[str], era: str) -> None:
    ended = inspect(era, server, "tools/call", "--tool-name=fail", "--tool-arg", "reason=no luck")
    found = json.loads(ended.output)["result"]
    assert found["isError"] is True
    assert found["content"][0]["text"] == "no luck"


def test_it_gets_a_prompt(server: Sequence[str], era: str) -> None:
    options = ("--prompt-name=translate", "--prompt-args", "language=Latin", "tone=formal")
    [message] = result(server, era, "prompts/get", *options)["messages"]
    assert message["content"]["text"] == "Translate to Latin, in a formal tone."


def test_it_reads_a_resource_of_a_template(server: Sequence[str], era: str) -> None:
    [contents] = result(server, era, "resources/read", "--uri=fixture://people/ada")["contents"]
    assert contents["text"] == '{"name":"ada","title":"Countess"}'
