"""Asking the person at the client: forms of every type, and web pages, in both eras."""

from dataclasses import dataclass
from enum import Enum
from typing import Annotated, Any, Literal, TypedDict

import msgspec
import pydantic
import pytest

from paddock import Context, Elicited, Server
from tests.behaviour.line import Json, error_text, plain
from tests.behaviour.wire import SESSION, STATELESS
from tests.conftest import Connect

FORMS: Json = {"elicitation": {"form": {}, "url": {}}}


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class StructForm(msgspec.Struct):
    name: Annotated[str, msgspec.Meta(min_length=1, description="Who")]
    age: int = 18


@dataclass
class DataForm:
    name: str
    age: int = 18


class DictForm(TypedDict):
    name: str
    age: int


class ModelForm(pydantic.BaseModel):
    name: str
    age: int = 18


@pytest.mark.parametrize("form", [StructForm, DataForm, DictForm, ModelForm])
def test_a_form_is_a_type_and_its_answer_a_value_of_it(
    connect: Connect, era: str, form: type
) -> None:
    server = Server("s")
    asked: list[Json] = []

    @server.tool
    def plainly(ctx: Context) -> dict[str, Any]:
        return described(ctx.elicit("Who?", form).wait())

    @server.tool
    async def later(ctx: Context) -> dict[str, Any]:
        return described(await ctx.elicit("Who?", form))

    def answer(method: str, params: Json) -> Json:
        asked.append(params)
        return {"action": "accept", "content": {"name": "Ada", "age": 36}}

    line = connect(server, era, capabilities=FORMS)
    for tool in ("plainly", "later"):
        result = plain(line.converse("tools/call", {"name": tool}, answer))
        assert result["structuredContent"] == {
            "action": "accept",
            "type": "dict" if form is DictForm else form.__name__,
            "data": {"name": "Ada", "age": 36},
        }
    assert asked[0] == asked[1]
    assert asked[0]["mode"] == "form"
    assert asked[0]["message"] == "Who?"
    schema = asked[0]["requestedSchema"]
    assert {name: field["type"] for name, field in schema["properties"].items()} == {
        "name": "string",
        "age": "integer",
    }
    assert "name" in schema["required"]


def described(answer: Elicited[Any]) -> dict[str, Any]:
    data = answer.data
    plain_data = data.model_dump() if isinstance(data, pydantic.BaseModel) else data
    return {
        "action": answer.action,
        "type": type(data).__name__,
        "data": msgspec.to_builtins(plain_data),
    }


def test_a_form_has_plain_fields_of_every_kind(connect: Connect, era: str) -> None:
    @dataclass
    class Form:
        text: str
        number: float
        whole: int
        yes: bool
        choice: Literal["a", "b"]
        colour: Colour
        colours: list[Colour]
        note: str | None = None

    server = Server("s")

    @server.tool
    def ask(ctx: Context) -> str:
        form = ctx.elicit("All", Form).wait().data
        assert form is not None
        return f"{form.colour.name} {[colour.name for colour in form.colours]} {form.note}"

    content = {
        "text": "t",
        "number": 1.5,
        "whole": 2,
        "yes": True,
        "choice": "a",
        "colour": "red",
        "colours": ["blue", "red"],
    }
    line = connect(server, era, capabilities=FORMS)
    answer = line.converse(
        "tools/call", {"name": "ask"}, lambda *_: {"action": "accept", "content": content}
    )
    assert plain(answer)["content"][0]["text"] == "RED ['BLUE', 'RED'] None"


@pytest.mark.parametrize(
    ("kind", "value", "data"),
    [
        (str, "x", "x"),
        (int, 5, 5),
        (float, 1.5, 1.5),
        (bool, True, True),
        (Colour, "red", Colour.RED),
        (list[Colour], ["red"], [Colour.RED]),
    ],
)
def test_a_single_value_is_asked_for_by_its_type(
    connect: Connect, era: str, kind: type, value: object, data: object
) -> None:
    server = Server("s")
    given: list[object] = []

    @server.tool
    def ask(ctx: Context) -> str:
        given.append(ctx.elicit("What?", kind).wait().data)
        return "done"

    line = connect(server, era, capabilities=FORMS)
    answer = {"action": "accept", "content": {"value": value}}
    plain(line.converse("tools/call", {"name": "ask"}, lambda *_: answer))
    assert given == [data]


def test_a_raw_schema_is_sent_as_it_is_and_its_answer_is_a_dictionary(
    connect: Connect, era: str
) -> None:
    schema = {
        "type": "object",
        "properties": {"mail": {"type": "string", "format": "email", "title": "Mail"}},
        "required": ["mail"],
    }
    server = Server("s")
    asked: list[Json] = []

    @server.tool
    def ask(ctx: Context) -> dict[str, Any]:
        return ctx.elicit("Mail?", schema).wait().data or {}

    def answer(method: str, params: Json) -> Json:
        asked.append({"method": method, **params})
        return {"action": "accept", "content": {"mail": "a@b.org"}}

    line = connect(server, era, capabilities=FORMS)
    result = plain(line.converse("tools/call", {"name": "ask"}, answer))
    assert result["structuredContent"] == {"mail": "a@b.org"}
    assert asked == [
        {
            "method": "elicitation/create",
            "mode": "form",
            "message": "Mail?",
            "requestedSchema": schema,
        }
    ]


def test_a_confirmation_needs_no_fields(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool
    def ask(ctx: Context) -> bool:
        return ctx.elicit("Sure?").wait().is_accepted

    line = connect(server, era, capabilities=FORMS)
    yes = line.converse("tools/call", {"name": "ask"}, lambda *_: {"action": "accept"})
    assert plain(yes)["structuredContent"] == {"result": True}


@pytest.mark.parametrize("action", ["decline", "cancel"])
def test_a_refusal_has_no_data(connect: Connect, era: str, action: str) -> None:
    server = Server("s")

    @server.tool
    def ask(ctx: Context) -> str:
        answer = ctx.elicit("Who?", StructForm).wait()
        return f"{answer.action} {answer.data} {answer.is_accepted}"

    line = connect(server, era, capabilities=FORMS)
    answer = line.converse("tools/call", {"name": "ask"}, lambda *_: {"action": action})
    assert plain(answer)["content"][0]["text"] == f"{action} None False"


@pytest.mark.parametrize(
    "answer",
    [
        {"action": "maybe"},
        {},
        {"action": "accept", "content": {"name": 5}},
        {"action": "accept", "content": {}},
        {"action": "accept", "content": "Ada"},
        {"action": "accept"},
    ],
)
def test_an_invalid_answer_is_refused(connect: Connect, era: str, answer: Json) -> None:
    server = Server("s")

    @server.tool
    def ask(ctx: Context) -> str:
        return str(ctx.elicit("Who?", StructForm).wait())

    line = connect(server, era, capabilities=FORMS)
    message = line.converse("tools/call", {"name": "ask"}, lambda *_: answer)
    if era == STATELESS:
        assert message["error"]["code"] == -32602
    else:
        assert "elicitation" in error_text(message["result"])


def test_a_web_page_is_asked_for_by_its_url(connect: Connect, era: str) -> None:
    server = Server("s")
    asked: list[Json] = []

    @server.tool
    def ask(ctx: Context) -> str:
        return ctx.elicit_url("Log in", "https://example.org/login").wait().action

    def answer(method: str, params: Json) -> Json:
        asked.append(params)
        return {"action": "accept"}

    line = connect(server, era, capabilities=FORMS)
    assert plain(line.converse("tools/call", {"name": "ask"}, answer))["content"][0]["text"] == (
        "accept"
    )
    expected = {"mode": "url", "message": "Log in", "url": "https://example.org/login"}
    assert asked[0].items() >= expected.items()


@pytest.mark.parametrize(
    ("declared", "tool", "needed"),
    [
        ({}, "form", {"elicitation": {"form": {}}}),
        ({"elicitation": {"url": {}}}, "form", {"elicitation": {"form": {}}}),
        ({"elicitation": {}}, "page", {"elicitation": {"url": {}}}),
        ({"elicitation": {"form": {}}}, "page", {"elicitation": {"url": {}}}),
    ],
)
def test_a_client_is_never_asked_what_it_has_not_declared(
    connect: Connect, era: str, declared: Json, tool: str, needed: Json
) -> None:
    server = Server("s")

    @server.tool
    def form(ctx: Context) -> str:
        return str(ctx.elicit("Who?", str).wait())

    @server.tool
    async def page(ctx: Context) -> str:
        return str(await ctx.elicit_url("Log in", "https://example.org"))

    line = connect(server, era, capabilities=declared)
    message = line.ask("tools/call", {"name": tool})
    if era == STATELESS:
        assert message["error"]["code"] == -32021
        assert message["error"]["data"] == {"requiredCapabilities": needed}
    else:
        assert "elicitation" in error_text(message["result"])
    assert line.heard() == []


@pytest.mark.parametrize("declared", [{"elicitation": {}}, {"elicitation": {"form": {}}}])
def test_an_empty_elicitation_capability_means_forms(
    connect: Connect, era: str, declared: Json
) -> None:
    server = Server("s")

    @server.tool
    def ask(ctx: Context) -> str:
        return str(ctx.elicit("Who?", str).wait().data)

    line = connect(server, era, capabilities=declared)
    answer = {"action": "accept", "content": {"value": "Ada"}}
    message = line.converse("tools/call", {"name": "ask"}, lambda *_: answer)
    assert plain(message)["content"][0]["text"] == "Ada"


def test_a_form_of_nested_fields_is_the_handlers_mistake(connect: Connect, era: str) -> None:
    @dataclass
    class Nested:
        inner: DataForm

    server = Server("s")

    @server.tool
    def ask(ctx: Context) -> str:
        return str(ctx.elicit("What?", Nested).wait())

    line = connect(server, era, capabilities=FORMS)
    assert "inner" in error_text(line.call("ask"))


def test_an_answer_that_was_not_waited_for_says_so(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool
    def ask(ctx: Context) -> str:
        return str(ctx.elicit("Who?", str).data)

    line = connect(server, era, capabilities=FORMS)
    assert ".wait()" in error_text(line.call("ask"))


def test_a_client_that_refuses_to_ask_is_an_error_of_the_tool(connect: Connect) -> None:
    server = Server("s")

    @server.tool
    def ask(ctx: Context) -> str:
        return str(ctx.elicit("Who?", str).wait())

    line = connect(server, SESSION, capabilities=FORMS)
    request_id = line.begin_call("ask")
    question = line.question()
    error = {"code": -1, "message": "not now"}
    line.send({"jsonrpc": "2.0", "id": question["id"], "error": error})
    assert "not now" in error_text(line.answer(request_id)["result"])


def test_prompts_and_resources_ask_too(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.prompt
    async def greet(ctx: Context) -> str:
        return f"Hello {(await ctx.elicit('Who?', str)).data}"

    @server.resource("who://{x}")
    def who(x: str, ctx: Context) -> str:
        return f"{x} {ctx.elicit('Who?', str).wait().data}"

    line = connect(server, era, capabilities=FORMS)
    answer = {"action": "accept", "content": {"value": "Ada"}}
    prompt = line.converse("prompts/get", {"name": "greet"}, lambda *_: answer)
    assert plain(prompt)["messages"][0]["content"]["text"] == "Hello Ada"
    resource = line.converse("resources/read", {"uri": "who://is"}, lambda *_: answer)
    assert plain(resource)["contents"][0]["text"] == "is Ada"


def test_the_client_is_reported_once_that_a_web_page_has_done_its_work(connect: Connect) -> None:
    server = Server("s")

    @server.tool
    def log_in(ctx: Context) -> str:
        return ctx.elicit_url("Log in", "https://example.org", elicitation_id="e1").wait().action

    line = connect(server, SESSION, capabilities={"elicitation": {"url": {}}})
    call = line.begin_call("log_in")
    question = line.take(lambda message: message.get("method") == "elicitation/create")
    assert question["params"]["elicitationId"] == "e1"
    line.reply(question, {"action": "accept"})
    line.answer(call)
    assert server.elicitation_complete("e1") == 1
    assert server.elicitation_complete("e1") == 0
    told = line.take(lambda message: message.get("method") == "notifications/elicitation/complete")
    assert told["params"] == {"elicitationId": "e1"}


def test_waiting_in_an_async_handler_is_refused_with_what_to_do(connect: Connect) -> None:
    server = Server("s")

    @server.tool
    async def ask(ctx: Context) -> str:
        return str(ctx.elicit("Name?", str).wait())

    line = connect(server, SESSION, capabilities={"elicitation": {}})
    assert "use await" in error_text(line.call("ask"))


def test_an_answer_that_breaks_a_raw_form_is_refused(connect: Connect) -> None:
    server = Server("s")
    form = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}

    @server.tool
    def ask(ctx: Context) -> str:
        return str(ctx.elicit("Number?", form).wait().data)

    line = connect(server, SESSION, capabilities={"elicitation": {}})
    call = line.begin_call("ask")
    question = line.take(lambda message: message.get("method") == "elicitation/create")
    line.reply(question, {"action": "accept", "content": {"a": "three"}})
    assert "$.a" in line.answer(call)["result"]["content"][0]["text"]
