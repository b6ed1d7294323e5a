"""The MCP Inspector's command line against our server on stdio, in both eras."""

import json

import pytest

from tests.clients.programs import Json, inspect, served

SERVER = served("fixture_server.py")


@pytest.fixture(params=["legacy", "modern"])
def era(request: pytest.FixtureRequest) -> str:
    found: str = request.param
    return found


def result(era: str, method: str, *options: str) -> Json:
    ended = inspect(era, SERVER, method, *options)
    assert ended.code == 0, ended.errors
    found: Json = json.loads(ended.output)["result"]
    return found


def test_it_finds_no_fault_with_the_schemas_of_the_tools(era: str) -> None:
    tools = result(era, "tools/list", "--strict")["tools"]
    assert "measure" in [tool["name"] for tool in tools]


def test_it_calls_a_tool(era: str) -> None:
    options = ("--tool-name=measure", "--tool-arg", "width=2", "height=3.5")
    found = result(era, "tools/call", *options)
    assert found["structuredContent"] == {"size": 7, "unit": "m²"}


def test_it_shows_the_reason_of_a_failing_tool(era: str) -> None:
    ended = inspect(era, SERVER, "tools/call", "--tool-name=fail", "--tool-arg", "reason=no luck")
    found = json.loads(ended.output)["result"]
    assert found["isError"] is True
    assert found["content"][0]["text"] == "no luck"


def test_it_gets_a_prompt(era: str) -> None:
    options = ("--prompt-name=translate", "--prompt-args", "language=Latin", "tone=formal")
    [message] = result(era, "prompts/get", *options)["messages"]
    assert message["content"]["text"] == "Translate to Latin, in a formal tone."


def test_it_reads_a_resource_of_a_template(era: str) -> None:
    [contents] = result(era, "resources/read", "--uri=fixture://people/ada")["contents"]
    assert contents["text"] == '{"name":"ada","title":"Countess"}'
