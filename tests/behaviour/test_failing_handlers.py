"""Handlers that fail in every way: the client is reported, and the server goes on."""

import asyncio
import json
import logging
import math
import sys
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import pytest

from paddock import Context, Prompt, Resource, Server, Tool, ToolError
from paddock.authoring.handler_errors import ArgumentsError
from paddock.errors import PaddockError
from tests.behaviour.line import error_text
from tests.conftest import Connect


class Unprintable(Exception):  # noqa: N818 - named for what it is
    def __str__(self) -> str:
        raise LookupError("cannot be shown")


def raises(error: BaseException) -> Callable[[], NoReturn]:
    def handler() -> NoReturn:
        raise error

    return handler


def raises_async(error: BaseException) -> Callable[[], Any]:
    async def handler() -> NoReturn:
        raise error

    return handler


FAILURES = [
    ValueError("too small"),
    ValueError(),
    Unprintable(),
    SystemExit(3),
    KeyboardInterrupt(),
    GeneratorExit(),
    StopIteration(),
    StopAsyncIteration(),
    RecursionError(),
    MemoryError(),
    AssertionError("no"),
    BaseException("bare"),
    asyncio.CancelledError(),
    BaseExceptionGroup("several", [ValueError("one"), SystemExit(2)]),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"),
    OSError(2, "No such file", "caf\udce9.txt"),
]


def name_of(error: object) -> str:
    return type(error).__name__


@pytest.mark.parametrize("error", FAILURES, ids=name_of)
@pytest.mark.parametrize("make", [raises, raises_async])
def test_whatever_a_tool_raises_is_an_error_result(
    connect: Connect, era: str, make: Callable[[BaseException], Any], error: BaseException
) -> None:
    server = Server("s", tools=[Tool("fail", make(error)), Tool("hi", lambda: "hello")])
    line = connect(server, era)
    assert "fail" in error_text(line.call("fail"))
    assert line.text("hi") == "hello"


@pytest.mark.parametrize("error", FAILURES, ids=name_of)
@pytest.mark.parametrize("make", [raises, raises_async])
def test_whatever_a_prompt_or_resource_raises_is_an_internal_error(
    connect: Connect, era: str, make: Callable[[BaseException], Any], error: BaseException
) -> None:
    server = Server("s", tools=Tool("hi", lambda: "hello"))
    server.register([Prompt("p", handler=make(error)), Resource("a://b", make(error))])
    line = connect(server, era)
    assert line.error("prompts/get", {"name": "p"})["code"] == -32603
    assert line.error("resources/read", {"uri": "a://b"})["code"] == -32603
    assert line.text("hi") == "hello"


@pytest.mark.parametrize("error", FAILURES, ids=name_of)
def test_whatever_a_completion_raises_is_an_internal_error(
    connect: Connect, era: str, error: BaseException
) -> None:
    def source(value: str) -> list[str]:
        raise error

    server = Server("s", prompts=Prompt("p", "{x}", completions={"x": source}))
    line = connect(server, era)
    params = {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "x", "value": ""}}
    assert line.error("completion/complete", params)["code"] == -32603
    assert line.heard() == []


def test_an_exception_is_reported_with_its_type_and_text_and_logged_with_its_traceback(
    connect: Connect, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = Server("s", tools=Tool("fail", raises(LookupError("no such key"))))
    text = error_text(connect(server, era).call("fail"))
    assert "LookupError" in text
    assert "no such key" in text
    assert "Traceback" not in text
    (record,) = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert record.exc_info is not None
    assert "fail" in record.getMessage()


def test_masked_errors_keep_their_text_from_the_client(
    connect: Connect, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = Server("s", mask_errors=True)
    server.register(Tool("fail", raises(LookupError("secret"))))
    server.register(Resource("a://b", raises(LookupError("secret"))))
    line = connect(server, era)
    assert "secret" not in error_text(line.call("fail"))
    assert "secret" not in line.error("resources/read", {"uri": "a://b"})["message"]
    assert "secret" in caplog.text


def test_a_completion_that_fails_is_masked_too(connect: Connect, era: str) -> None:
    def source(value: str) -> list[str]:
        raise LookupError("secret")

    server = Server("s", mask_errors=True)
    server.register(Prompt("p", "{x}", completions={"x": source}))
    params = {"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "x", "value": ""}}
    assert "secret" not in connect(server, era).error("completion/complete", params)["message"]


def test_a_tool_error_is_reported_as_it_is_and_not_logged(
    connect: Connect, era: str, caplog: pytest.LogCaptureFixture
) -> None:
    server = Server("s", mask_errors=True)
    server.register(Tool("fail", raises(ToolError("No such book.", hint="search first"))))
    assert error_text(connect(server, era).call("fail")) == "No such book. (search first)"
    assert caplog.records == []


def test_leaving_the_program_is_not_possible_from_a_handler(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool
    def leave() -> None:
        sys.exit(7)

    line = connect(server, era)
    assert "7" in error_text(line.call("leave"))
    assert line.heard() == []


def numbers() -> Iterator[int]:
    yield 1


NONSENSE: list[tuple[object, str]] = [
    (object(), "object"),
    (numbers, "function"),
    (numbers(), "generator"),
    ({object()}, "set"),
    ({"a": object()}, "dict"),
    ([object()], "list"),
    (b"\x01\x02", "bytes"),
    (1j, "complex"),
]


@pytest.mark.parametrize(("value", "said"), NONSENSE, ids=lambda part: str(part)[:12])
def test_a_tool_that_returns_nonsense_is_an_error_that_says_what_it_returned(
    connect: Connect, era: str, value: object, said: str
) -> None:
    line = connect(Server("s", tools=Tool("fail", lambda: value)), era)
    assert said in error_text(line.call("fail"))
    assert line.heard() == []


def test_a_value_that_contains_itself_is_an_error(connect: Connect, era: str) -> None:
    endless: list[object] = []
    endless.append(endless)
    line = connect(Server("s", tools=Tool("fail", lambda: endless)), era)
    assert line.call("fail")["isError"]
    assert line.heard() == []


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_does_not_have_does_not_break_the_promised_schema(
    connect: Connect, era: str, value: float
) -> None:
    server = Server("s")

    @server.tool
    def divide() -> float:
        return value

    result = connect(server, era).call("divide")
    assert result.get("isError") or "structuredContent" not in result


@pytest.mark.parametrize("text", ["\ud800", "ok \udcff", "\x00", "\u2028", "😀"])
def test_any_text_can_be_returned_and_raised(connect: Connect, era: str, text: str) -> None:
    server = Server("s", tools=[Tool("say", lambda: text), Tool("fail", raises(ValueError(text)))])
    server.register([Prompt("p", text), Resource("a://b", lambda: text)])
    server.register(Tool("data", lambda: {"text": text}))
    line = connect(server, era)
    assert line.text("say") == text.encode("utf-8", "replace").decode()
    assert line.call("fail")["isError"]
    for method, params in (
        ("tools/call", {"name": "data"}),
        ("prompts/get", {"name": "p"}),
        ("resources/read", {"uri": "a://b"}),
    ):
        assert line.ask(method, params).keys() & {"result", "error"}


def test_a_context_that_outlives_its_request_harms_no_one(connect: Connect, era: str) -> None:
    server = Server("s")
    kept: list[Context] = []

    @server.tool
    def keep(ctx: Context) -> str:
        kept.append(ctx)
        return "kept"

    line = connect(server, era)
    line.text("keep", progressToken="t")
    assert kept[0].progress(1) is False
    assert kept[0].error("late") is False
    line.close()
    assert kept[0].progress(2) is False


def as_data(error: PaddockError) -> dict[str, object]:
    place = error.argument_path if isinstance(error, ArgumentsError) else None
    return {"code": error.code, "message": str(error), "place": place}


def test_a_tool_can_tell_its_failures_as_data(connect: Connect, era: str) -> None:
    def divide(left: int, right: int) -> float:
        if right > 9:
            raise ToolError("too large", hint="use less than 10")
        return left / right

    server = Server("failures", tools=[Tool("divide", divide, failures=as_data)])
    line = connect(server, era)
    told = [
        json.loads(error_text(line.call("divide", {"left": 1, "right": right})))
        for right in (10, 0, "two")
    ]
    assert told == [
        {"code": "tool", "message": "too large (use less than 10)", "place": None},
        {
            "code": "tool",
            "message": "Tool 'divide' failed: ZeroDivisionError: division by zero",
            "place": None,
        },
        {
            "code": "arguments",
            "message": "Invalid arguments for tool 'divide': Expected `int`, got `str` - at "
            "`$.right`. Parameters: left, right.",
            "place": "$.right",
        },
    ]
