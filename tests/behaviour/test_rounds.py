"""Questions as round trips of the request itself: `input_required` and `requestState`."""

import base64
import json
from typing import Any

import pytest

from paddock import Context, PaddockError, Server
from paddock.protocol.eras.input_required import SealedState, seal_state
from tests.behaviour.line import Json, Line, plain
from tests.behaviour.wire import META_KEY, SESSION, STATELESS
from tests.conftest import Connect

KEY = b"k" * 32
CAPABILITIES: Json = {"elicitation": {}, "roots": {}}


def accept(value: object) -> Json:
    return {"action": "accept", "content": {"value": value}}


def asking() -> Server:
    server = Server("s", state_key=KEY)

    @server.tool
    def greet(ctx: Context, greeting: str = "Hello") -> str:
        name = ctx.elicit("Name?", str).wait().data
        return f"{greeting} {name}, {ctx.elicit('Age?', int).wait().data}"

    @server.tool
    def other(ctx: Context, greeting: str = "Hello") -> str:
        return f"{greeting} {ctx.elicit('Name?', str).wait().data}"

    return server


def first_round(line: Line, **params: object) -> tuple[Json, Json]:
    """A call of `greet` and the result that asks for a name."""
    call = {"name": "greet", "arguments": {"greeting": "Hi"}, **params}
    result: Json = line.ask("tools/call", call)["result"]
    return call, result


def test_a_question_is_a_result_that_asks_for_input(connect: Connect) -> None:
    line = connect(asking(), STATELESS, capabilities=CAPABILITIES)
    _, result = first_round(line)
    state = result.pop("requestState")
    assert isinstance(state, str)
    assert result == {
        "resultType": "input_required",
        "inputRequests": {
            "input-1": {
                "method": "elicitation/create",
                "params": {
                    "mode": "form",
                    "message": "Name?",
                    "requestedSchema": {
                        "type": "object",
                        "properties": {"value": {"type": "string"}},
                        "required": ["value"],
                    },
                },
            }
        },
        "_meta": {f"{META_KEY}serverInfo": {"name": "s", "version": "0.0.0"}},
    }


def test_every_round_remembers_the_answers_of_those_before(connect: Connect) -> None:
    line = connect(asking(), STATELESS, capabilities=CAPABILITIES)
    call, first = first_round(line)
    answers = {"inputResponses": {"input-1": accept("Ada")}, "requestState": first["requestState"]}
    second = line.ask("tools/call", {**call, **answers})["result"]
    assert second["resultType"] == "input_required"
    assert list(second["inputRequests"]) == ["input-2"]
    answers = {"inputResponses": {"input-2": accept(36)}, "requestState": second["requestState"]}
    assert line.result("tools/call", {**call, **answers}) == {
        "content": [{"type": "text", "text": "Hi Ada, 36"}]
    }


def test_rounds_may_go_to_different_connections_and_processes(connect: Connect) -> None:
    """All that is needed is the same key."""
    call, first = first_round(connect(asking(), STATELESS, capabilities=CAPABILITIES))
    answers = {"inputResponses": {"input-1": accept("Ada")}, "requestState": first["requestState"]}
    line = connect(asking(), STATELESS, capabilities=CAPABILITIES)
    assert line.ask("tools/call", {**call, **answers})["result"]["resultType"] == "input_required"


def test_a_question_keeps_the_name_that_it_was_given(connect: Connect) -> None:
    server = Server("s")

    @server.tool
    async def ask(ctx: Context) -> str:
        return str((await ctx.elicit("Name?", str, key="who")).data)

    line = connect(server, STATELESS, capabilities=CAPABILITIES)
    result = line.ask("tools/call", {"name": "ask"})["result"]
    assert list(result["inputRequests"]) == ["who"]


def test_a_question_not_answered_is_asked_again(connect: Connect) -> None:
    line = connect(asking(), STATELESS, capabilities=CAPABILITIES)
    call, first = first_round(line)
    responses: list[Json] = [{}, {"unknown": accept("x")}]
    for given in responses:
        answers = {"inputResponses": given, "requestState": first["requestState"]}
        again = line.ask("tools/call", {**call, **answers})["result"]
        assert list(again["inputRequests"]) == ["input-1"]


@pytest.mark.parametrize(
    "responses",
    ["x", [], {"input-1": {"action": "perhaps"}}, {"input-1": {"action": "accept", "content": {}}}],
)
def test_malformed_answers_are_invalid_params(connect: Connect, responses: object) -> None:
    line = connect(asking(), STATELESS, capabilities=CAPABILITIES)
    call, first = first_round(line)
    answers = {"inputResponses": responses, "requestState": first["requestState"]}
    assert line.error("tools/call", {**call, **answers})["code"] == -32602


def test_the_state_is_bound_to_its_tool_and_arguments(connect: Connect) -> None:
    line = connect(asking(), STATELESS, capabilities=CAPABILITIES)
    call, first = first_round(line)
    answers = {"inputResponses": {"input-1": accept("Ada")}, "requestState": first["requestState"]}
    changes: list[Json] = [
        {"name": "other"},
        {"arguments": {"greeting": "Bye"}},
        {"arguments": {}},
        {"arguments": None},
    ]
    for change in changes:
        error = line.error("tools/call", {**call, **answers, **change})
        assert error["code"] == -32602


def test_the_state_is_bound_to_its_method(connect: Connect) -> None:
    server = asking()

    @server.prompt(name="greet")
    def greet(ctx: Context, greeting: str = "") -> str:
        return f"{greeting} {ctx.elicit('Name?', str).wait().data}"

    line = connect(server, STATELESS, capabilities=CAPABILITIES)
    call, first = first_round(line)
    error = line.error("prompts/get", {**call, "requestState": first["requestState"]})
    assert error["code"] == -32602


def test_the_order_of_arguments_does_not_matter_to_the_state(connect: Connect) -> None:
    server = Server("s")

    @server.tool
    def ask(a: int, b: int, ctx: Context) -> str:
        return f"{a}{b}{ctx.elicit('Name?', str).wait().data}"

    line = connect(server, STATELESS, capabilities=CAPABILITIES)
    first = line.ask("tools/call", {"name": "ask", "arguments": {"a": 1, "b": 2}})["result"]
    answers = {"inputResponses": {"input-1": accept("x")}, "requestState": first["requestState"]}
    again = {"name": "ask", "arguments": {"b": 2, "a": 1}, **answers}
    assert line.result("tools/call", again)["content"][0]["text"] == "12x"


def tampered(state: str) -> list[object]:
    body, _, signature = state.rpartition(".")
    sealed = json.loads(base64.b64decode(body))
    sealed["answers"] = {"input-1": accept("Eve")}
    forged = base64.b64encode(json.dumps(sealed).encode()).decode()
    return [
        f"{forged}.{signature}",
        f"{body}.{signature[:-1]}{'0' if signature[-1] != '0' else '1'}",
        f"{body}.",
        body,
        "",
        ".",
        "é.é",
        state + "x",
        5,
        None,
    ]


def test_a_state_that_is_not_ours_is_invalid_params(connect: Connect) -> None:
    line = connect(asking(), STATELESS, capabilities=CAPABILITIES)
    call, first = first_round(line)
    for state in tampered(first["requestState"]):
        error = line.error("tools/call", {**call, "requestState": state})
        assert error["code"] == -32602


def test_a_state_of_another_key_is_invalid_params(connect: Connect) -> None:
    call, first = first_round(connect(asking(), STATELESS, capabilities=CAPABILITIES))
    server = asking()
    server.state_key = b"other" * 8
    line = connect(server, STATELESS, capabilities=CAPABILITIES)
    error = line.error("tools/call", {**call, "requestState": first["requestState"]})
    assert error["code"] == -32602


def test_a_state_that_has_expired_is_invalid_params(connect: Connect) -> None:
    line = connect(asking(), STATELESS, capabilities=CAPABILITIES)
    call, first = first_round(line)
    issued = json.loads(base64.b64decode(first["requestState"].rpartition(".")[0]))
    old = SealedState(expires=1, digest=issued["digest"])
    error = line.error("tools/call", {**call, "requestState": seal_state(old, KEY)})
    assert error["code"] == -32602
    fresh = SealedState(expires=issued["expires"], digest=issued["digest"])
    again = line.ask("tools/call", {**call, "requestState": seal_state(fresh, KEY)})["result"]
    assert again["resultType"] == "input_required"


def test_a_wrong_state_is_refused_before_the_handler_runs(connect: Connect) -> None:
    server = Server("s")
    calls: list[str] = []

    @server.tool
    def count() -> int:
        calls.append("called")
        return len(calls)

    line = connect(server, STATELESS)
    error = line.error("tools/call", {"name": "count", "requestState": "forged"})
    assert error["code"] == -32602
    assert calls == []


def test_a_key_that_is_too_short_is_refused() -> None:
    with pytest.raises(PaddockError, match="32"):
        Server("s", state_key=b"short")


def test_a_handler_that_catches_exceptions_still_asks(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool
    def ask(ctx: Context) -> str:
        try:
            return str(ctx.elicit("Name?", str).wait().data)
        except Exception as error:  # noqa: BLE001 - what the test is about
            return f"caught {error!r}"

    line = connect(server, era, capabilities=CAPABILITIES)
    message = line.converse("tools/call", {"name": "ask"}, lambda *_: accept("Ada"))
    assert plain(message)["content"][0]["text"] == "Ada"


def test_state_and_answers_mean_nothing_in_a_session(connect: Connect) -> None:
    server = Server("s")

    @server.tool
    def hi() -> str:
        return "hello"

    line = connect(server, SESSION)
    call: dict[str, Any] = {"name": "hi", "requestState": "forged", "inputResponses": {"a": {}}}
    assert line.result("tools/call", call)["content"][0]["text"] == "hello"


def test_deeply_nested_arguments_can_be_asked_about(connect: Connect) -> None:
    """Whatever the depth, there is one answer."""
    server = Server("s")

    @server.tool
    def ask(data: Any, ctx: Context) -> str:
        return str(ctx.elicit("Name?", str).wait().data)

    line = connect(server, STATELESS, capabilities=CAPABILITIES)
    for depth in range(900, 1000, 3):
        frame = line.frame("tools/call", {"name": "ask", "arguments": {"data": 5}})
        text = json.dumps(frame).replace('"data": 5', f'"data": {"[" * depth}{"]" * depth}')
        line.write(text.encode() + b"\n", recorded=frame)
        answer = line.take(lambda _: True)
        assert answer.keys() & {"result", "error"}


def test_what_a_handler_remembers_is_there_when_it_runs_again(connect: Connect) -> None:
    server, found_out = Server("s"), []

    @server.tool
    def plan(ctx: Context) -> str:
        if ctx.remembered is None:
            found_out.append("expensive")
            ctx.remember({"steps": 3})
        agreed = ctx.elicit("Go on?", bool, key="agreed").wait()
        return f"{agreed.data} {ctx.remembered}"

    line = connect(server, STATELESS, capabilities={"elicitation": {}})
    first = line.call("plan")
    again = {"inputResponses": {"agreed": {"action": "accept", "content": {"value": True}}}}
    answer = line.ask(
        "tools/call", {"name": "plan", "requestState": first["requestState"], **again}
    )
    assert answer["result"]["content"][0]["text"] == "True {'steps': 3}"
    assert found_out == ["expensive"]
