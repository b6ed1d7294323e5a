"""What a server sets up before the first request and takes down after the last."""

import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from paddock import Context, Server
from tests.behaviour.line import PATIENCE
from tests.conftest import Connect


def test_handlers_see_what_a_plain_lifespan_yields(connect: Connect, era: str) -> None:
    events: list[str] = []

    @contextmanager
    def lifespan(server: Any) -> Iterator[dict[str, str]]:
        events.append(f"enter {server.name}")
        yield {"database": "open"}
        events.append("leave")

    server = Server("s", lifespan=lifespan)

    @server.tool
    def state(ctx: Context) -> str:
        return str(ctx.state["database"])

    line = connect(server, era)
    assert line.text("state") == "open"
    assert events == ["enter s"]
    line.close()
    assert events == ["enter s", "leave"]


def test_handlers_see_what_an_async_lifespan_yields(connect: Connect, era: str) -> None:
    events: list[str] = []

    @asynccontextmanager
    async def lifespan(_server: Any) -> AsyncIterator[str]:
        events.append("enter")
        yield "open"
        events.append("leave")

    server = Server("s", lifespan=lifespan)

    @server.tool
    def plain(ctx: Context) -> str:
        return str(ctx.state)

    @server.tool
    async def later(ctx: Context) -> str:
        return str(ctx.state)

    @server.prompt
    def prompt(ctx: Context) -> str:
        return str(ctx.state)

    @server.resource("a://b")
    async def resource(ctx: Context) -> str:
        return str(ctx.state)

    line = connect(server, era)
    assert line.text("plain") == line.text("later") == "open"
    assert "open" in str(line.result("prompts/get", {"name": "prompt"}))
    assert "open" in str(line.result("resources/read", {"uri": "a://b"}))
    line.close()
    assert events == ["enter", "leave"]


def test_a_lifespan_that_fails_is_reported_to_the_client(connect: Connect, era: str) -> None:
    @contextmanager
    def lifespan(_server: Any) -> Iterator[None]:
        raise ConnectionError("no database")
        yield

    server = Server("s", lifespan=lifespan)
    line = connect(server, era)
    error = line.error("tools/list")
    assert error["code"] == -32603
    assert "no database" in error["message"]
    assert line.heard() == []


def test_a_lifespan_that_fails_to_leave_does_not_keep_the_connection(
    connect: Connect, era: str
) -> None:
    @contextmanager
    def lifespan(_server: Any) -> Iterator[None]:
        yield
        raise ConnectionError("lost")

    line = connect(Server("s", lifespan=lifespan), era)
    assert line.result("tools/list") == {"tools": []}
    assert line.close() == []


def test_the_handshake_does_not_wait_for_the_lifespan(connect: Connect, era: str) -> None:
    entered, release = threading.Event(), threading.Event()

    @contextmanager
    def lifespan(_server: Any) -> Iterator[str]:
        entered.set()
        assert release.wait(PATIENCE)
        yield "open"

    server = Server("s", lifespan=lifespan)

    @server.tool
    def state(ctx: Context) -> str:
        return str(ctx.state)

    line = connect(server, era)
    call = line.begin_call("state")
    assert entered.wait(PATIENCE)
    assert line.heard() == []
    release.set()
    assert line.answer(call)["result"]["content"][0]["text"] == "open"


def test_a_request_cancelled_while_it_waits_for_the_lifespan_is_not_run(
    connect: Connect, era: str
) -> None:
    release = threading.Event()
    calls: list[int] = []

    @contextmanager
    def lifespan(_server: Any) -> Iterator[None]:
        assert release.wait(PATIENCE)
        yield

    server = Server("s", lifespan=lifespan)

    @server.tool
    def count(number: int) -> int:
        calls.append(number)
        return number

    line = connect(server, era)
    cancelled = line.begin_call("count", {"number": 1})
    kept = line.begin_call("count", {"number": 2})
    line.cancel(cancelled)
    assert line.heard() == []
    release.set()
    assert line.answer(kept)["result"]["structuredContent"] == {"result": 2}
    assert line.close() == []
    assert calls == [2]


def test_a_connection_that_ends_does_not_take_what_another_still_uses(
    connect: Connect, era: str
) -> None:
    class Database:
        is_open = True

    @contextmanager
    def lifespan(_server: Any) -> Iterator[Database]:
        database = Database()
        yield database
        database.is_open = False

    server = Server("s", lifespan=lifespan)

    @server.tool
    def is_open(ctx: Context) -> bool:
        return bool(ctx.state.is_open)

    first, second = connect(server, era), connect(server, era)
    assert first.text("is_open") == second.text("is_open") == "true"
    second.close()
    assert first.text("is_open") == "true"
    third = connect(server, era)
    assert third.text("is_open") == "true"
    first.close()
    assert third.text("is_open") == "true"
