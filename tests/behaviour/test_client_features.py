"""Asking the client for its model, its roots, and several things at once."""

from typing import Any

import pytest

import paddock
from paddock import Context, ImageContent, PromptMessage, Server
from tests.behaviour.line import Json, error_text, plain
from tests.behaviour.wire import SESSION, STATELESS
from tests.conftest import Connect

EVERYTHING: Json = {"elicitation": {}, "sampling": {"tools": {}}, "roots": {}}
SAID = {"role": "assistant", "content": {"type": "text", "text": "four"}, "model": "m"}


def test_the_clients_model_continues_a_conversation(connect: Connect, era: str) -> None:
    server = Server("s")
    asked: list[Json] = []

    @server.tool
    async def think(ctx: Context) -> str:
        said = await ctx.sample(
            ["2+2?", PromptMessage("Hm", "assistant"), ImageContent(b"x", "image/png")],
            max_tokens=7,
            system_prompt="Be brief",
            temperature=0.5,
            stop_sequences=["."],
            model_preferences={"speedPriority": 1.0},
        )
        return f"{said.text} {said.model} {said.role} {said.stop_reason}"

    def answer(method: str, params: Json) -> Json:
        asked.append({"method": method, **params})
        return {**SAID, "stopReason": "endTurn"}

    line = connect(server, era, capabilities=EVERYTHING)
    result = plain(line.converse("tools/call", {"name": "think"}, answer))
    assert result["content"][0]["text"] == "four m assistant endTurn"
    assert asked == [
        {
            "method": "sampling/createMessage",
            "messages": [
                {"role": "user", "content": {"type": "text", "text": "2+2?"}},
                {"role": "assistant", "content": {"type": "text", "text": "Hm"}},
                {
                    "role": "user",
                    "content": {"type": "image", "data": "eA==", "mimeType": "image/png"},
                },
            ],
            "maxTokens": 7,
            "systemPrompt": "Be brief",
            "temperature": 0.5,
            "stopSequences": ["."],
            "modelPreferences": {"speedPriority": 1.0},
        }
    ]


def test_a_model_may_say_several_things(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool
    def think(ctx: Context) -> str:
        return ctx.sample("Hi").wait().text

    parts = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    line = connect(server, era, capabilities=EVERYTHING)
    message = line.converse("tools/call", {"name": "think"}, lambda *_: {**SAID, "content": parts})
    assert plain(message)["content"][0]["text"] == "ab"


def test_the_clients_roots_are_listed(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool
    def where(ctx: Context) -> list[str]:
        return [f"{root.uri} {root.name}" for root in ctx.roots().wait()]

    def answer(method: str, _params: Json) -> Json:
        assert method == "roots/list"
        return {"roots": [{"uri": "file:///a", "name": "A"}, {"uri": "file:///b"}]}

    line = connect(server, era, capabilities=EVERYTHING)
    result = plain(line.converse("tools/call", {"name": "where"}, answer))
    assert result["structuredContent"] == {"result": ["file:///a A", "file:///b None"]}


ASKS = {
    "model": ("sampling/createMessage", {"sampling": {}}),
    "tools": ("sampling/createMessage", {"sampling": {"tools": {}}}),
    "roots": ("roots/list", {"roots": {}}),
}


@pytest.mark.parametrize("what", list(ASKS))
@pytest.mark.parametrize("is_async", [True, False])
def test_a_client_is_never_asked_for_what_it_has_not_declared(
    connect: Connect, era: str, what: str, *, is_async: bool
) -> None:
    server = Server("s")

    def pending(ctx: Context) -> Any:
        tool = {"name": "t", "inputSchema": {"type": "object"}}
        asks: dict[str, Any] = {
            "model": lambda: ctx.sample("Hi"),
            "tools": lambda: ctx.sample("Hi", tools=[tool]),
            "roots": ctx.roots,
        }
        return asks[what]()

    def plainly(ctx: Context) -> str:
        return str(pending(ctx).wait())

    async def later(ctx: Context) -> str:
        return str(await pending(ctx))

    server.tool(later if is_async else plainly, name="ask")
    declared: Json = {"sampling": {}} if what == "tools" else {}
    line = connect(server, era, capabilities=declared)
    message = line.ask("tools/call", {"name": "ask"})
    if era == STATELESS:
        assert message["error"]["code"] == -32021
        assert message["error"]["data"] == {"requiredCapabilities": ASKS[what][1]}
    else:
        assert ASKS[what][0] in error_text(message["result"])
    assert line.heard() == []


@pytest.mark.parametrize(
    ("tool", "answer"),
    [
        ("think", {}),
        ("think", {"role": "assistant", "content": {"type": "text", "text": "x"}}),
        ("where", {}),
        ("where", {"roots": [{}]}),
        ("where", {"roots": "file:///a"}),
    ],
)
def test_an_invalid_answer_is_refused(connect: Connect, era: str, tool: str, answer: Json) -> None:
    server = Server("s")

    @server.tool
    def think(ctx: Context) -> str:
        return ctx.sample("Hi").wait().text

    @server.tool
    def where(ctx: Context) -> str:
        return str(ctx.roots().wait())

    line = connect(server, era, capabilities=EVERYTHING)
    message = line.converse("tools/call", {"name": tool}, lambda *_: answer)
    if era == STATELESS:
        assert message["error"]["code"] == -32602
    else:
        assert message["result"]["isError"]


@pytest.mark.parametrize("is_async", [True, False])
def test_several_questions_are_asked_at_once(connect: Connect, era: str, *, is_async: bool) -> None:
    server = Server("s")

    def questions() -> dict[str, Any]:
        return {
            "who": paddock.elicitation("Who?", str),
            "what": paddock.sampling("What?", max_tokens=5),
            "where": paddock.roots(),
        }

    def told(answers: dict[str, Any]) -> str:
        return f"{answers['who'].data} {answers['what'].text} {answers['where'][0].uri}"

    def plainly(ctx: Context) -> str:
        return told(ctx.ask(**questions()).wait())

    async def later(ctx: Context) -> str:
        return told(await ctx.ask(**questions()))

    server.tool(later if is_async else plainly, name="ask")
    replies: dict[str, Json] = {
        "elicitation/create": {"action": "accept", "content": {"value": "Ada"}},
        "sampling/createMessage": SAID,
        "roots/list": {"roots": [{"uri": "file:///a"}]},
    }
    line = connect(server, era, capabilities=EVERYTHING)
    if era == SESSION:
        request_id = line.begin_call("ask")
        questions_asked = [line.question() for _ in range(3)]
        for question in reversed(questions_asked):
            line.reply(question, replies[question["method"]])
        answer = line.answer(request_id)
    else:
        rounds = []

        def reply(method: str, _params: Json) -> Json:
            rounds.append(method)
            return replies[method]

        answer = line.converse("tools/call", {"name": "ask"}, reply)
        assert sorted(rounds) == sorted(replies)
    assert plain(answer)["content"][0]["text"] == "Ada four file:///a"


def test_answers_that_no_one_asked_for_are_dropped(connect: Connect, era: str) -> None:
    line = connect(Server("s"), era)
    line.send({"jsonrpc": "2.0", "id": 1, "result": {}})
    line.send({"jsonrpc": "2.0", "id": "x", "result": None})
    line.send({"jsonrpc": "2.0", "id": 99, "error": {"code": 1, "message": "m"}})
    line.send({"jsonrpc": "2.0", "id": 99, "error": "text"})
    line.send({"jsonrpc": "2.0", "result": {}})
    line.send({"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "m"}})
    assert line.heard() == []


def test_a_second_answer_to_a_question_is_dropped(connect: Connect) -> None:
    server = Server("s")

    @server.tool
    def ask(ctx: Context) -> str:
        return str(ctx.elicit("Who?", str).wait().data)

    line = connect(server, SESSION, capabilities=EVERYTHING)
    request_id = line.begin_call("ask")
    question = line.question()
    line.reply(question, {"action": "accept", "content": {"value": "first"}})
    line.reply(question, {"action": "accept", "content": {"value": "second"}})
    assert line.answer(request_id)["result"]["content"][0]["text"] == "first"
    assert line.heard() == []


def test_questions_of_handlers_that_run_at_once_are_not_mixed_up(connect: Connect) -> None:
    server = Server("s")

    @server.tool
    def ask(name: str, ctx: Context) -> str:
        return f"{name} {ctx.elicit(name, str).wait().data}"

    line = connect(server, SESSION, capabilities=EVERYTHING)
    ids = {line.begin_call("ask", {"name": f"n{number}"}): f"n{number}" for number in range(8)}
    questions = [line.question() for _ in ids]
    for question in reversed(questions):
        name = question["params"]["message"]
        line.reply(question, {"action": "accept", "content": {"value": f"for {name}"}})
    for request_id, name in ids.items():
        text = line.answer(request_id)["result"]["content"][0]["text"]
        assert text == f"{name} for {name}"
