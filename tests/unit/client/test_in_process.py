"""`paddock.connect` and `paddock.testing` with servers of Paddock, in every protocol version."""

import json

import pytest

from paddock import Context, Server
from paddock.client.errors import PeerError
from paddock.connector import connect
from paddock.protocol.content import PromptMessage, TextContent
from paddock.testing import (
    ERAS,
    Answers,
    UnexpectedQuestionError,
    accept,
    cancel,
    decline,
)
from paddock.testing import connect as connect_recorded

NAME = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


@pytest.mark.parametrize("era", [None, *ERAS])
def test_a_server_object_can_be_called_in_every_era(era: str | None) -> None:
    server = Server("shop", version="2.1", instructions="Buy.")

    @server.tool
    def add(a: int, b: int = 1) -> int:
        return a + b

    @server.prompt
    def explain(topic: str) -> str:
        return f"Explain {topic}"

    @server.resource("shop://motto")
    def motto() -> str:
        return "Small"

    @server.resource("shop://items/{key}")
    def item(key: str) -> str:
        return f"item {key}"

    with connect(server, era=era) as peer:
        assert peer.protocol_version == (era or ERAS[0])
        assert peer.server_info == {"name": "shop", "version": "2.1"}
        assert peer.instructions == "Buy."
        assert [tool.name for tool in peer.tools()] == ["add"]
        assert peer.call("add", a=2, b=3).text == "5"
        assert peer.call("add", {"a": 2}).text == "3"
        assert peer.call("add", a="two").is_error
        assert [prompt.name for prompt in peer.prompts()] == ["explain"]
        assert peer.prompt("explain", topic="MCP").messages == [
            PromptMessage(TextContent("Explain MCP"))
        ]
        assert [resource.uri for resource in peer.resources()] == ["shop://motto"]
        assert [template.uri_template for template in peer.templates()] == ["shop://items/{key}"]
        assert peer.read("shop://items/7").text == "item 7"
        assert peer.complete("shop://items/{key}", "key", "7").values == []
        with pytest.raises(PeerError):
            peer.call("subtract")


def test_a_connection_can_be_recorded() -> None:
    with connect_recorded(Server("shop"), era=ERAS[0]) as peer:
        peer.tools()
    assert [json.loads(frame)["method"] for frame in peer.sent] == ["server/discover", "tools/list"]
    assert [json.loads(frame)["id"] for frame in peer.received] == [1, 2]
    with connect(Server("shop")) as peer:
        peer.tools()
    assert peer.transcript.messages == []


@pytest.mark.parametrize("era", ERAS)
def test_a_user_can_be_played(era: str) -> None:
    server = Server("shop")

    @server.tool
    def greet(ctx: Context) -> str:
        return ctx.elicit("Who are you?", NAME).wait().action

    user = Answers(accept(name="Ada"), decline(), cancel())
    with connect_recorded(server, era=era, on_elicit=user) as peer:
        actions = [peer.call("greet").text for _ in range(3)]
    assert actions == ["accept", "decline", "cancel"]
    assert [question["message"] for question in user.asked] == ["Who are you?"] * 3


def test_a_question_too_many_is_an_error() -> None:
    user = Answers(accept(name="Ada"))
    assert user({"message": "Who?"}) == {"action": "accept", "content": {"name": "Ada"}}
    with pytest.raises(UnexpectedQuestionError, match="Who else"):
        user({"message": "Who else?"})
