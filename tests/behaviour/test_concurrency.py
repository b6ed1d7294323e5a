"""A slow handler delays no one."""

import asyncio
import threading
import time
from _thread import _count as count_threads

import pytest

from paddock import Prompt, Resource, Server, Tool
from tests.behaviour.line import PATIENCE, Json, Line
from tests.conftest import Connect


class Gate:
    """Holds handlers until it is opened."""

    def __init__(self) -> None:
        self.entered = threading.Semaphore(0)
        self.opened = threading.Event()

    def hold(self) -> str:
        self.entered.release()
        return "held" if self.opened.wait(PATIENCE) else "too long"

    def wait_for(self, count: int) -> None:
        for _ in range(count):
            assert self.entered.acquire(timeout=PATIENCE)


def check_held(line: Line, request_ids: list[int]) -> None:
    for request_id in request_ids:
        assert line.answer(request_id)["result"]["content"][0]["text"] == "held"


def test_a_blocking_handler_does_not_delay_a_ping_another_call_or_a_cancellation(
    connect: Connect, era: str
) -> None:
    server, gate, spinning = Server("s"), Gate(), threading.Event()

    def spin() -> None:
        spinning.set()
        while True:
            pass

    @server.tool
    async def later() -> str:
        await asyncio.sleep(0)
        return "later"

    server.register([Tool("hold", gate.hold), Tool("quick", lambda: "quick"), Tool("spin", spin)])
    line = connect(server, era)
    held = line.begin_call("hold")
    gate.wait_for(1)
    assert line.heard() == []
    assert line.text("quick") == "quick"
    assert line.text("later") == "later"
    cancelled = line.begin_call("spin")
    assert spinning.wait(PATIENCE)
    line.cancel(cancelled)
    assert line.text("quick") == "quick"
    gate.opened.set()
    check_held(line, [held])
    assert line.close() == []


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("prompts/get", {"name": "hold"}),
        ("resources/read", {"uri": "hold://"}),
    ],
)
def test_blocking_prompts_and_resources_delay_no_one(
    connect: Connect, era: str, method: str, params: Json
) -> None:
    server, gate = Server("s"), Gate()
    server.register(Prompt("hold", handler=gate.hold))
    server.register(Resource("hold://", gate.hold))
    server.register(Tool("quick", lambda: "quick"))
    line = connect(server, era)
    held = line.request(method, params)
    gate.wait_for(1)
    assert line.text("quick") == "quick"
    assert line.heard() == []
    gate.opened.set()
    assert "held" in str(line.answer(held))


@pytest.mark.parametrize("count", [2, 40])
def test_many_blocking_handlers_run_at_once(connect: Connect, era: str, count: int) -> None:
    server, gate = Server("s"), Gate()
    server.register([Tool("hold", gate.hold), Tool("quick", lambda: "quick")])
    line = connect(server, era)
    ids = [line.begin_call("hold") for _ in range(count)]
    gate.wait_for(count)
    assert line.text("quick") == "quick"
    gate.opened.set()
    check_held(line, ids)


def test_more_blocking_handlers_than_threads_delay_no_ping_and_are_all_answered(
    connect: Connect, era: str
) -> None:
    server, gate = Server("s"), Gate()
    server.register(Tool("hold", gate.hold))
    line = connect(server, era)
    ids = [line.begin_call("hold") for _ in range(150)]
    gate.wait_for(40)
    assert line.heard() == []
    line.cancel(ids.pop())
    assert line.heard() == []
    gate.opened.set()
    check_held(line, ids)
    assert line.close() == []


def test_many_async_handlers_run_at_once(connect: Connect, era: str) -> None:
    server, gate = Server("s"), Gate()

    @server.tool
    async def hold() -> str:
        gate.entered.release()
        await asyncio.to_thread(gate.opened.wait, PATIENCE)
        return "held"

    line = connect(server, era)
    ids = [line.begin_call("hold") for _ in range(200)]
    gate.wait_for(200)
    assert line.heard() == []
    gate.opened.set()
    check_held(line, ids)


def test_an_async_handler_that_blocks_the_loop_delays_no_ping_and_no_plain_handler(
    connect: Connect, era: str
) -> None:
    server, gate = Server("s"), Gate()

    @server.tool
    async def hog() -> str:
        return gate.hold()

    server.register(Tool("quick", lambda: "quick"))
    line = connect(server, era)
    held = line.begin_call("hog")
    gate.wait_for(1)
    assert line.heard() == []
    assert line.text("quick") == "quick"
    gate.opened.set()
    check_held(line, [held])


def test_handlers_about_as_slow_as_the_server_bears_are_answered_once_each(
    connect: Connect, era: str
) -> None:
    """Where another thread takes over just while a handler ends."""
    server = Server("s")

    @server.tool
    def work(tenths: int) -> int:
        end = time.perf_counter() + tenths / 10_000
        while time.perf_counter() < end:
            pass
        return tenths

    line = connect(server, era)
    numbers = [number * 7 % 40 for number in range(300)]
    ids = {line.begin_call("work", {"tenths": number}): number for number in numbers[:150]}
    gone = [line.begin_call("work", {"tenths": number}) for number in numbers[150:]]
    for request_id in gone:
        line.cancel(request_id)
    for request_id, number in ids.items():
        assert line.answer(request_id)["result"]["structuredContent"] == {"result": number}
    rest = line.close()
    assert {message["id"] for message in rest} <= set(gone)


def test_handlers_can_wait_for_each_other(connect: Connect, era: str) -> None:
    server, meeting = Server("s"), threading.Barrier(5)

    @server.tool
    def meet() -> str:
        meeting.wait(PATIENCE)
        return "held"

    line = connect(server, era)
    check_held(line, [line.begin_call("meet") for _ in range(5)])


def test_answers_are_not_mixed_up_under_load(connect: Connect, era: str) -> None:
    server = Server("s")

    @server.tool
    def plain(number: int) -> int:
        return number

    @server.tool
    async def later(number: int) -> int:
        await asyncio.sleep(0)
        return number

    line = connect(server, era)
    tools = ("plain", "later")
    ids = {line.begin_call(tools[n % 2], {"number": n}): n for n in range(1000)}
    for request_id, number in ids.items():
        assert line.answer(request_id)["result"]["structuredContent"] == {"result": number}


def test_two_connections_do_not_delay_each_other(connect: Connect, era: str) -> None:
    server, gate = Server("s"), Gate()
    server.register([Tool("hold", gate.hold), Tool("quick", lambda: "quick")])
    first, second = connect(server, era), connect(server, era)
    held = first.begin_call("hold")
    gate.wait_for(1)
    assert second.text("quick") == "quick"
    gate.opened.set()
    check_held(first, [held])


def test_connections_that_ended_leave_no_threads_behind(connect: Connect) -> None:
    server, gate = Server("s"), Gate()
    gate.opened.set()

    @server.tool
    async def later() -> str:
        return "later"

    server.register(Tool("hold", gate.hold))
    before = count_threads()
    for _ in range(20):
        line = connect(server)
        line.text("hold")
        line.text("later")
        line.close()
    assert _settles(before + 5)


def _settles(limit: int) -> bool:
    """Whether at most so many threads are left, in a while."""
    pause = threading.Event()
    for _ in range(100):
        if count_threads() <= limit:
            return True
        pause.wait(0.02)
    return False
