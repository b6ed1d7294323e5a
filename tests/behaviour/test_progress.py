"""Progress of a request, for clients that ask for it."""

import math
import threading

import pytest

from paddock import Context, Server
from tests.behaviour.line import PATIENCE
from tests.conftest import Connect


@pytest.mark.parametrize("token", ["t", "", 0, 7])
def test_progress_is_reported_with_the_token_of_the_request(
    connect: Connect, era: str, token: object
) -> None:
    server = Server("s")

    @server.tool
    def work(ctx: Context) -> list[bool]:
        return [ctx.progress(0), ctx.progress(1, 3), ctx.progress(2.5, 3, "nearly")]

    line = connect(server, era)
    result = line.call("work", progressToken=token)
    assert result["structuredContent"] == {"result": [True, True, True]}
    assert [message["params"] for message in line.heard()] == [
        {"progressToken": token, "progress": 0},
        {"progressToken": token, "progress": 1, "total": 3},
        {"progressToken": token, "progress": 2.5, "total": 3, "message": "nearly"},
    ]


def test_without_a_token_no_one_is_reported(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool
    def work(ctx: Context) -> bool:
        return ctx.progress(1)

    line = connect(server, era)
    assert line.text("work") == "false"
    assert line.heard() == []


def test_progress_that_does_not_grow_is_not_told(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool
    def work(ctx: Context) -> list[bool]:
        return [ctx.progress(step) for step in (2, 2, 1, -1, 3)]

    line = connect(server, era)
    result = line.call("work", progressToken="t")
    assert result["structuredContent"]["result"] == [True, False, False, False, True]
    assert [message["params"]["progress"] for message in line.heard()] == [2, 3]


@pytest.mark.parametrize("step", [math.nan, math.inf])
def test_progress_that_is_not_json_number_is_not_told(
    connect: Connect, era: str, step: float
) -> None:
    server = Server("s")

    @server.tool
    def work(ctx: Context) -> str:
        ctx.progress(step, step)
        return "done"

    line = connect(server, era)
    line.call("work", progressToken="t")
    assert line.heard() == []


def test_after_the_answer_no_one_is_reported(connect: Connect, era: str) -> None:
    server = Server("s")
    answered, late = threading.Event(), threading.Event()
    told: list[bool] = []

    @server.tool
    def work(ctx: Context) -> str:
        def go_on() -> None:
            assert answered.wait(PATIENCE)
            told.append(ctx.progress(2))
            told.append(ctx.error("late"))
            late.set()

        threading.Thread(target=go_on).start()
        ctx.progress(1)
        return "done"

    line = connect(server, era)
    assert line.text("work", progressToken="t") == "done"
    assert line.notification("notifications/progress")["progress"] == 1
    answered.set()
    assert late.wait(PATIENCE)
    assert told == [False, False]
    assert line.heard() == []


def test_progress_comes_while_the_handler_is_at_work(connect: Connect, era: str) -> None:
    server = Server("s")
    seen = threading.Event()

    @server.tool
    def work(ctx: Context) -> bool:
        ctx.progress(1)
        return seen.wait(PATIENCE)

    line = connect(server, era)
    request_id = line.begin_call("work", progressToken="t")
    line.notification("notifications/progress")
    seen.set()
    assert line.answer(request_id)["result"]["structuredContent"] == {"result": True}


def test_async_handlers_and_prompts_and_resources_tell_their_progress_too(
    connect: Connect, era: str
) -> None:
    server = Server("s")

    @server.tool
    async def work(ctx: Context) -> str:
        ctx.progress(1)
        return "done"

    @server.prompt
    def prompt(ctx: Context) -> str:
        ctx.progress(2)
        return "done"

    @server.resource("a://b")
    def resource(ctx: Context) -> str:
        ctx.progress(3)
        return "done"

    line = connect(server, era)
    line.result("tools/call", {"name": "work"}, progressToken="a")
    line.result("prompts/get", {"name": "prompt"}, progressToken="b")
    line.result("resources/read", {"uri": "a://b"}, progressToken="c")
    told = [(m["params"]["progressToken"], m["params"]["progress"]) for m in line.heard()]
    assert told == [("a", 1), ("b", 2), ("c", 3)]
