"""Work for disconnected clients ends, and is never done for another client."""

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Iterator

import pytest

from paddock import Context, Limits, Server
from tests.http_load.live import CARRIERS, PATIENCE, Raw, Session, call_bytes, own_server

ONE = Limits(concurrent_requests=1)


class Waiting:
    """A server whose tool waits until it is cancelled."""

    def __init__(self) -> None:
        self.server = Server("s")
        self.began = threading.Event()
        self.ended = threading.Event()
        self.server.tool(self.wait)
        self.server.tool(self.plain_wait)
        self.server.tool(self.add, inline=True)

    async def wait(self) -> str:
        self.began.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.ended.set()
        return "never"

    def plain_wait(self, ctx: Context) -> str:
        self.began.set()
        done = threading.Event()
        try:
            while True:
                ctx.progress(1)
                done.wait(0.01)
        finally:
            self.ended.set()

    def add(self, a: int, b: int) -> int:
        return a + b


@pytest.fixture
def waiting() -> Iterator[Waiting]:
    yield Waiting()


def works(port: int) -> bool:
    with Raw(port) as line:
        return bool(line.call("add", a=1, b=2)["result"]["content"][0]["text"] == "3")


def until(condition: Callable[[], bool]) -> None:
    tick = threading.Event()
    for _ in range(int(PATIENCE * 50)):
        if condition():
            return
        tick.wait(0.02)
    raise AssertionError("It never came to be")


@pytest.mark.parametrize("tool", ["wait", "plain_wait"])
@pytest.mark.parametrize("carrier", CARRIERS)
def test_a_cancelled_call_in_a_session_ends_its_http_request(
    waiting: Waiting, carrier: str, tool: str
) -> None:
    with CARRIERS[carrier](waiting.server, ONE) as port:
        session = Session(port)
        with session.line() as line:
            line.send(session.voice.call(tool, {}, request_id=7))
            assert waiting.began.wait(PATIENCE)
            session.cancel(7)
            status, headers, body = line.answer()
        assert (status, headers["content-type"]) == (200, "text/event-stream")
        assert b"data: {" not in body
        assert works(port)


def test_a_cancelled_call_of_a_client_that_takes_no_events_ends_too(waiting: Waiting) -> None:
    with own_server(waiting.server, ONE) as port:
        session = Session(port)
        call = session.voice.request(
            "tools/call", {"name": "wait"}, request_id=7, accept="application/json"
        )
        with session.line() as line:
            line.send(call)
            assert waiting.began.wait(PATIENCE)
            session.cancel(7)
            assert line.answer()[0] == 202
        assert works(port)


def test_a_batch_is_answered_although_a_part_of_it_was_cancelled(waiting: Waiting) -> None:
    with own_server(waiting.server) as port:
        session = Session(port, "2025-03-26")
        batch = [
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "wait"}},
            {
                "jsonrpc": "2.0",
                "id": 2,
                "method": "tools/call",
                "params": {"name": "add", "arguments": {"a": 1, "b": 2}},
            },
        ]
        body = json.dumps(batch).encode()
        head = session.voice.request("ping", {}, request_id=1).partition(b"Content-Type")[0]
        request = head + b"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(body)
        with session.line() as line:
            line.send(request + body)
            assert waiting.began.wait(PATIENCE)
            session.cancel(1)
            status, _, answer = line.answer()
    assert status == 200
    assert [message["id"] for message in json.loads(answer)] == [2]


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("leave", [Raw.close, Raw.reset])
def test_a_client_without_a_session_that_leaves_ends_its_call(
    waiting: Waiting, carrier: str, leave: Callable[[Raw], None]
) -> None:
    with CARRIERS[carrier](waiting.server, ONE) as port:
        line = Raw(port)
        line.send(call_bytes("wait"))
        assert waiting.began.wait(PATIENCE)
        leave(line)
        assert waiting.ended.wait(PATIENCE)
        assert works(port)


def test_a_call_that_no_one_waits_for_still_ends_when_its_time_is_over(waiting: Waiting) -> None:
    with own_server(waiting.server, Limits(call_seconds=0.5)) as port:
        session = Session(port)
        line = session.line()
        line.send(session.voice.call("wait", {}, request_id=7))
        assert waiting.began.wait(PATIENCE)
        line.reset()
        assert waiting.ended.wait(PATIENCE)


def test_garbage_behind_a_call_does_not_take_its_answer_away() -> None:
    server = Server("s")
    go_on = threading.Event()

    @server.tool
    def hold() -> str:
        assert go_on.wait(PATIENCE)
        return "held"

    with own_server(server) as port, Raw(port) as line:
        line.send(call_bytes("hold") + b"\0garbage\r\n\r\n")
        go_on.set()
        status, _, body = line.answer()
        assert (status, json.loads(body)["result"]["content"][0]["text"]) == (200, "held")
        assert line.answer()[0] == 400
        assert line.rest() == b""


def test_garbage_on_the_connection_of_a_listener_leaves_no_listener_behind(
    waiting: Waiting,
) -> None:
    server = waiting.server
    server.resource("r://x", name="x")(lambda: "x")
    with own_server(server) as port:
        line = Raw(port)
        listen = Session(port).voice  # only for its shape
        listen.era, listen.session = "2026-07-28", None
        params = {"notifications": {"resourceSubscriptions": ["r://x"]}}
        line.send(listen.request("subscriptions/listen", params, request_id=1))
        assert line.head()[0] == 200
        assert server.resource_updated("r://x") == 1
        line.send(b"\0garbage\r\n\r\n")
        line.reset()
        until(lambda: server.resource_updated("r://x") == 0)


def test_listeners_do_not_keep_others_from_calling(waiting: Waiting) -> None:
    with own_server(waiting.server, ONE) as port:
        voice = Session(port).voice
        voice.era, voice.session = "2026-07-28", None
        with Raw(port) as line:
            params = {"notifications": {"toolsListChanged": True}}
            line.send(voice.request("subscriptions/listen", params, request_id=1))
            assert line.head()[0] == 200
            assert works(port)


def test_a_stream_that_was_let_go_leaves_the_next_call_on_its_connection_alone() -> None:
    server = Server("s")
    released, go_on, began, ended = (threading.Event() for _ in range(4))

    @server.tool
    async def slow(ctx: Context) -> str:
        ctx.close_stream()
        released.set()
        await asyncio.to_thread(go_on.wait, PATIENCE)
        return "slow"

    @server.tool
    async def wait() -> str:
        began.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()
        return "never"

    with own_server(server) as port:
        session = Session(port)
        line = session.line()
        line.send(session.voice.call("slow", {}, request_id=7))
        assert line.answer()[0] == 200  # it ends without the result
        line.send(call_bytes("wait"))
        assert began.wait(PATIENCE)
        go_on.set()
        until(lambda: b'"slow"' in _resumed(session))
        line.reset()
        assert ended.wait(PATIENCE)


def _resumed(session: Session) -> bytes:
    return session.ask(session.voice.without_body("GET", "1_0"))[2]


def test_a_stream_ends_with_its_client_although_more_requests_wait_behind_it(
    waiting: Waiting,
) -> None:
    with own_server(waiting.server) as port:
        session = Session(port)
        with session.line() as line:
            ping = session.voice.request("ping", {}, request_id=1)
            line.send(session.voice.without_body("GET") + ping * 70)
            assert line.head()[0] == 200
            line.socket.shutdown(socket.SHUT_WR)
            line.rest()


def test_a_call_is_cancelled_when_its_client_leaves_although_more_requests_wait_behind_it(
    waiting: Waiting,
) -> None:
    with own_server(waiting.server) as port:
        line = Raw(port)
        line.send(call_bytes("wait") + call_bytes("add", a=1, b=2))
        assert waiting.began.wait(PATIENCE)
        line.close()
        assert waiting.ended.wait(PATIENCE)


def test_requests_that_are_sent_together_are_answered_in_order(waiting: Waiting) -> None:
    with own_server(waiting.server) as port, Raw(port) as line:
        line.send(b"".join(call_bytes("add", a=1, b=number) for number in range(60)))
        answers = [json.loads(line.answer()[2]) for _ in range(60)]
    sums = [int(answer["result"]["content"][0]["text"]) for answer in answers]
    assert sums == list(range(1, 61))
