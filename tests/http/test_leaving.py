"""A client that leaves: in the stateless era no one needs its answer any more."""

import asyncio
import threading
import time

import pytest

from paddock import Context, Server
from tests.http.endpoint import call
from tests.http.hosting import PADDOCK, Host
from tests.http.raw import PATIENCE, Json


class Bench:
    """A server whose handlers wait until they are stopped."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.stopped = threading.Event()
        self.go_on = threading.Event()
        self.server = Server("bench")
        self.server.tool(self.wait, name="wait")
        self.server.tool(self.block, name="block")
        self.server.tool(self.finish, name="finish")

    async def wait(self, ctx: Context) -> None:
        """Wait on the event loop."""
        ctx.progress(1)
        self.begun.release()
        try:
            await asyncio.sleep(3600)
        finally:
            self.stopped.set()

    def block(self, ctx: Context) -> None:
        """Wait in a thread."""
        ctx.progress(1)
        self.begun.release()
        try:
            while True:
                time.sleep(0.001)
        finally:
            self.stopped.set()

    def finish(self) -> str:
        """End once."""
        self.begun.release()
        assert self.go_on.wait(PATIENCE)
        return "finished"


@pytest.mark.parametrize("tool", ["wait", "block"])
@pytest.mark.parametrize("token", [None, "t"], ids=["json", "stream"])
def test_leaving_stops_the_handler(host: Host, on: str, tool: str, token: str | None) -> None:
    bench = Bench()
    endpoint = host(bench.server, on)
    meta: Json = {} if token is None else {"progressToken": token}
    connection = endpoint.begin(call(tool, **meta))
    assert bench.begun.acquire(timeout=PATIENCE)
    connection.close()
    assert bench.stopped.wait(PATIENCE)


def test_vanishing_stops_the_handler(host: Host) -> None:
    bench = Bench()
    stream = host(bench.server).post(call("wait", progressToken=1))
    stream.message()
    stream.vanish()
    assert bench.stopped.wait(PATIENCE)


def test_leaving_disturbs_no_one_else(host: Host, on: str) -> None:
    bench = Bench()
    endpoint = host(bench.server, on)
    leaving = endpoint.post(call("wait", progressToken=1))
    leaving.message()
    staying = threading.Thread(target=lambda: texts.append(endpoint.text(call("finish"))))
    texts: list[str] = []
    staying.start()
    assert bench.begun.acquire(timeout=PATIENCE)
    assert bench.begun.acquire(timeout=PATIENCE)
    leaving.close()
    assert bench.stopped.wait(PATIENCE)
    bench.go_on.set()
    staying.join(PATIENCE)
    assert texts == ["finished"]


def test_a_session_goes_on_when_its_client_leaves(host: Host, on: str) -> None:
    bench = Bench()
    session = host(bench.server, on).initialize()
    stream = session.call("wait", progressToken=1)
    stream.message()
    stream.close()
    assert session.ask("ping").json["result"] == {}
    assert not bench.stopped.is_set()
    assert session.delete().status == 204
    assert bench.stopped.wait(PATIENCE)


def test_a_session_stops_a_handler_when_it_is_reported_to(host: Host, on: str) -> None:
    bench = Bench()
    session = host(bench.server, on).initialize()
    stream = session.call("wait", progressToken=1)
    stream.message()
    cancelled = {"requestId": 2, "reason": "enough"}
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}
    assert session.post(message).status == 202
    assert bench.stopped.wait(PATIENCE)
    assert stream.messages() == []


def test_what_a_session_cancels_before_anything_was_stated_ends_without_an_answer(
    host: Host,
) -> None:
    bench = Bench()
    session = host(bench.server, PADDOCK).initialize()
    answers = []

    def ask() -> None:
        answer = session.call("wait")
        answers.append((answer.status, answer.body))

    asking = threading.Thread(target=ask)
    asking.start()
    assert bench.begun.acquire(timeout=PATIENCE)
    cancelled = {"requestId": 2}
    message = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}
    assert session.post(message).status == 202
    asking.join(PATIENCE)
    assert answers == [(200, b"")]
