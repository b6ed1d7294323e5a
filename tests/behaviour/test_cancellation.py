"""Cancelling a request: its handler is really stopped, and it is not answered."""

import asyncio
import threading
from collections.abc import Callable

import pytest

from paddock import Context, Prompt, Resource, Server, Tool
from tests.behaviour.line import PATIENCE, Json, Line
from tests.behaviour.wire import SESSION
from tests.conftest import Connect


class Flags:
    """What a handler has come to."""

    def __init__(self) -> None:
        self.started = threading.Event()
        self.stopped = threading.Event()

    def wait_for_start(self) -> None:
        assert self.started.wait(PATIENCE)

    def wait_for_stop(self) -> None:
        assert self.stopped.wait(PATIENCE)


def spin(flags: Flags) -> None:
    """Never end, in Python code that waits for nothing."""
    flags.started.set()
    try:
        while True:
            pass
    finally:
        flags.stopped.set()


def test_a_plain_handler_that_spins_is_stopped_and_not_answered(connect: Connect, era: str) -> None:
    server, flags = Server("s"), Flags()
    server.register(Tool("spin", lambda: spin(flags)))
    line = connect(server, era)
    request_id = line.begin_call("spin")
    flags.wait_for_start()
    line.cancel(request_id)
    flags.wait_for_stop()
    assert line.heard() == []
    assert line.close() == []


def test_an_async_handler_is_stopped_and_not_answered(connect: Connect, era: str) -> None:
    server, flags = Server("s"), Flags()

    @server.tool
    async def wait() -> None:
        flags.started.set()
        try:
            await asyncio.Event().wait()
        finally:
            flags.stopped.set()

    line = connect(server, era)
    request_id = line.begin_call("wait")
    flags.wait_for_start()
    line.cancel(request_id)
    flags.wait_for_stop()
    assert line.heard() == []
    assert line.close() == []


@pytest.mark.parametrize("method", ["prompts/get", "resources/read"])
def test_prompts_and_resources_are_stopped_too(connect: Connect, era: str, method: str) -> None:
    server, flags = Server("s"), Flags()
    server.register(Prompt("spin", handler=lambda: spin(flags)))
    server.register(Resource("spin://", lambda: spin(flags)))
    line = connect(server, era)
    request_id = line.request(method, {"name": "spin", "uri": "spin://"})
    flags.wait_for_start()
    line.cancel(request_id)
    flags.wait_for_stop()
    assert line.heard() == []


def test_a_plain_handler_that_waits_for_the_client_is_stopped(connect: Connect) -> None:
    server, flags = Server("s"), Flags()

    @server.tool
    def ask(ctx: Context) -> None:
        try:
            ctx.elicit("Name?", str).wait()
        finally:
            flags.stopped.set()

    line = connect(server, SESSION, capabilities={"elicitation": {}})
    request_id = line.begin_call("ask")
    question = line.question()
    line.cancel(request_id)
    flags.wait_for_stop()
    cancelled = line.notification("notifications/cancelled")
    assert cancelled["requestId"] == question["id"]
    line.reply(question, {"action": "accept", "content": {"value": "late"}})
    assert line.heard() == []
    assert line.close() == []


def test_an_async_handler_that_waits_for_the_client_is_stopped(connect: Connect) -> None:
    server, flags = Server("s"), Flags()

    @server.tool
    async def ask(ctx: Context) -> None:
        try:
            await ctx.elicit("Name?", str)
        finally:
            flags.stopped.set()

    line = connect(server, SESSION, capabilities={"elicitation": {}})
    request_id = line.begin_call("ask")
    question = line.question()
    line.cancel(request_id)
    flags.wait_for_stop()
    cancelled = line.notification("notifications/cancelled")
    assert cancelled["requestId"] == question["id"]
    assert line.heard() == []


def test_a_handler_that_swallows_the_cancellation_is_not_answered_either(
    connect: Connect, era: str
) -> None:
    server, flags = Server("s"), Flags()

    @server.tool
    def stubborn() -> str:
        try:
            spin(flags)
        except BaseException:  # noqa: BLE001 - what the test is about
            return "survived"
        return "never"

    line = connect(server, era)
    request_id = line.begin_call("stubborn")
    flags.wait_for_start()
    line.cancel(request_id)
    flags.wait_for_stop()
    assert line.heard() == []
    assert line.close() == []


def test_a_handler_sees_that_it_is_cancelled(connect: Connect, era: str) -> None:
    server, flags = Server("s"), Flags()
    seen: list[bool] = []

    @server.tool
    def work(ctx: Context) -> None:
        try:
            spin(flags)
        finally:
            seen.append(ctx.is_cancelled)
            seen.append(ctx.progress(1))
            try:
                ctx.raise_if_cancelled()
            except BaseException:  # noqa: BLE001 - what the test is about
                seen.append(True)

    line = connect(server, era)
    request_id = line.begin_call("work", progressToken="t")
    flags.wait_for_start()
    line.cancel(request_id)
    flags.wait_for_stop()
    line.close()
    assert seen == [True, False, True]


def test_cancelling_stops_only_the_request_it_names(connect: Connect, era: str) -> None:
    server, flags, release = Server("s"), Flags(), threading.Event()

    @server.tool
    def hold() -> str:
        return str(release.wait(PATIENCE))

    server.register(Tool("spin", lambda: spin(flags)))
    line = connect(server, era)
    held, spinning = line.begin_call("hold"), line.begin_call("spin")
    flags.wait_for_start()
    line.cancel(str(spinning))
    assert line.heard() == []
    assert not flags.stopped.is_set()
    line.cancel(spinning)
    flags.wait_for_stop()
    release.set()
    assert line.answer(held)["result"]["content"][0]["text"] == "True"


@pytest.mark.parametrize(
    "params",
    [
        {"requestId": 99},
        {"requestId": "no"},
        {"requestId": 99, "reason": "because"},
        {"requestId": None},
        {"requestId": [1]},
        {"requestId": 1.5},
        {},
        None,
    ],
)
def test_cancelling_what_is_not_there_is_ignored(
    connect: Connect, era: str, params: Json | None
) -> None:
    line = connect(Server("s"), era)
    line.notify("notifications/cancelled", params)
    assert line.heard() == []


def test_cancelling_what_is_answered_already_is_ignored(connect: Connect, era: str) -> None:
    line = connect(Server("s", tools=Tool("hi", lambda: "hello")), era)
    request_id = line.begin_call("hi")
    line.answer(request_id)
    line.cancel(request_id)
    assert line.text("hi") == "hello"
    assert line.heard() == []


def test_an_id_can_be_used_again_after_its_request_was_cancelled(
    connect: Connect, era: str
) -> None:
    server, flags = Server("s"), Flags()
    server.register([Tool("spin", lambda: spin(flags)), Tool("hi", lambda: "hello")])
    line = connect(server, era)
    request_id = line.begin_call("spin")
    flags.wait_for_start()
    line.cancel(request_id)
    flags.wait_for_stop()
    line.send({**line.frame("tools/call", {"name": "hi"}), "id": request_id})
    assert line.answer(request_id)["result"]["content"][0]["text"] == "hello"


def cancel_and_call(line: Line, flags: Flags) -> None:
    request_id = line.begin_call("spin")
    flags.wait_for_start()
    flags.started.clear()
    line.cancel(request_id)
    flags.wait_for_stop()
    flags.stopped.clear()
    assert line.text("add", {"a": 1, "b": 2}) == "3"


def test_many_cancellations_leave_every_thread_fit_for_work(connect: Connect, era: str) -> None:
    server, flags = Server("s"), Flags()
    server.register([Tool("spin", lambda: spin(flags)), Tool("add", add)])
    line = connect(server, era)
    for _ in range(50):
        cancel_and_call(line, flags)
    assert line.close() == []


def add(a: int, b: int) -> int:
    return a + b


@pytest.mark.parametrize("make", [lambda: _quick, lambda: _quick_async])
def test_cancelling_at_any_moment_gives_one_answer_or_none_and_no_harm(
    connect: Connect, era: str, make: Callable[[], Callable[..., object]]
) -> None:
    server = Server("s", tools=Tool("quick", make()))
    line = connect(server, era)
    for _ in range(300):
        line.cancel(line.begin_call("quick"))
    assert line.text("quick") == "done"
    assert all("result" in message for message in line.heard())


def _quick() -> str:
    return "done"


async def _quick_async() -> str:
    await asyncio.sleep(0)
    return "done"


def test_handlers_under_way_are_stopped_when_the_connection_ends(
    connect: Connect, era: str
) -> None:
    server, flags, waiting = Server("s"), Flags(), Flags()

    @server.tool
    async def wait() -> None:
        waiting.started.set()
        try:
            await asyncio.Event().wait()
        finally:
            waiting.stopped.set()

    server.register(Tool("spin", lambda: spin(flags)))
    line = connect(server, era)
    line.begin_call("spin")
    line.begin_call("wait")
    flags.wait_for_start()
    waiting.wait_for_start()
    assert line.close() == []
    flags.wait_for_stop()
    waiting.wait_for_stop()
