"""Streams of a session that break, and how a client gets what it has missed."""

import asyncio
import threading

import pytest

from paddock import Context, Limits, Server
from tests.http.endpoint import Session, call
from tests.http.hosting import PADDOCK, Host
from tests.http.raw import PATIENCE, Answer, Event


class Mill:
    """A server whose one call is made to go on step by step."""

    def __init__(self) -> None:
        self.steps = threading.Semaphore(0)
        self.done = threading.Semaphore(0)
        self.server = Server("mill")
        self.server.tool(self.grind, name="grind")
        self.server.tool(self.rest, name="rest")
        self.server.tool(self.nap, name="nap")
        self.server.tool(self.wait, name="wait")
        self.server.tool(self.grow, name="grow")
        self.stopped = threading.Event()

    def grind(self, ctx: Context, turns: int = 3) -> str:
        """Turn when it is reported to."""
        for turn in range(1, turns + 1):
            ctx.progress(turn)
            self.done.release()
            assert self.steps.acquire(timeout=PATIENCE)
        return "ground"

    def rest(self, ctx: Context) -> str:
        """Let the client go, and answer when it is reported to."""
        was_let_go = ctx.close_stream(retry_ms=20)
        assert self.steps.acquire(timeout=PATIENCE)
        return f"rested {was_let_go}"

    async def nap(self, ctx: Context) -> str:
        """Let the client go after having said something."""
        ctx.progress(1)
        ctx.close_stream()
        ctx.progress(2)
        return "napped"

    async def wait(self, ctx: Context) -> None:
        """Wait for ever."""
        ctx.progress(1)
        try:
            await asyncio.sleep(3600)
        finally:
            self.stopped.set()

    def grow(self, ctx: Context) -> int:
        """Announce new tools."""
        return ctx.server.list_changed("tools")


def read(answer: Answer, count: int) -> list[Event]:
    events = []
    for event in answer.events():
        events.append(event)
        if len(events) == count:
            break
    return events


def begin(mill: Mill, host: Host, on: str = PADDOCK) -> tuple[Session, Answer, Event]:
    """A call whose first progress has been read."""
    session = host(mill.server, on).initialize()
    stream = session.call("grind", progressToken="t")
    priming, first = read(stream, 2)
    assert priming.data == ""
    return session, stream, first


def turns(events: list[Event]) -> list[object]:
    messages = [event.message for event in events if event.data]
    return [m["params"]["progress"] if "params" in m else "result" for m in messages]


def test_a_stream_begins_with_an_id_and_when_to_come_back(host: Host, on: str) -> None:
    mill = Mill()
    session = host(mill.server, on).initialize()
    stream = session.call("grind", {"turns": 1}, progressToken="t")
    priming = stream.event()
    assert priming is not None
    assert (priming.data, priming.retry) == ("", 1000)
    assert priming.id
    mill.steps.release()
    rest = list(stream.events())
    ids = [priming.id, *(event.id for event in rest)]
    assert len(set(ids)) == 3
    assert turns(rest) == [1, "result"]


def test_events_missed_while_away_are_sent_again(host: Host, on: str) -> None:
    mill = Mill()
    session, stream, first = begin(mill, host, on)
    assert mill.done.acquire(timeout=PATIENCE)
    stream.close()
    mill.steps.release()
    assert mill.done.acquire(timeout=PATIENCE)
    again = session.listen(first.id)
    assert again.status == 200
    [missed] = read(again, 1)
    assert turns([missed]) == [2]
    mill.steps.release(2)
    assert turns(list(again.events())) == [3, "result"]


def test_a_stream_that_has_ended_can_be_read_to_its_end(host: Host, on: str) -> None:
    mill = Mill()
    session, stream, first = begin(mill, host, on)
    stream.close()
    mill.steps.release(3)
    for _ in range(3):
        assert mill.done.acquire(timeout=PATIENCE)
    assert session.ask("ping").status == 200
    again = session.listen(first.id)
    assert turns(list(again.events())) == [2, 3, "result"]
    last = session.listen(first.id)
    assert turns(list(last.events())) == [2, 3, "result"]


def test_a_client_that_has_read_all_misses_nothing(host: Host) -> None:
    mill = Mill()
    session, stream, _ = begin(mill, host)
    mill.steps.release(3)
    *_, result = stream.events()
    assert list(session.listen(result.id).events()) == []


def test_only_the_events_of_that_stream_are_sent_again(host: Host, on: str) -> None:
    mill = Mill()
    session = host(mill.server, on).initialize()
    streams = [session.call("grind", {"turns": 1}, progressToken=token) for token in "ab"]
    primings = [read(stream, 1)[0] for stream in streams]
    for stream in streams:
        read(stream, 1)
        stream.close()
    mill.steps.release(2)
    for token, priming in zip("ab", primings, strict=True):
        events = list(session.listen(priming.id).events())
        tokens = [e.message["params"]["progressToken"] for e in events if "params" in e.message]
        assert tokens == [token]
        assert turns(events) == [1, "result"]


def test_changes_missed_while_away_are_sent_again(host: Host, on: str) -> None:
    mill = Mill()
    session = host(mill.server, on).initialize()
    stream = session.listen()
    [priming] = read(stream, 1)
    stream.close()
    assert session.text("grow") == "1"
    assert session.text("grow") == "1"
    again = session.listen(priming.id)
    missed = [again.message(), again.message()]
    assert [one["method"] for one in missed] == ["notifications/tools/list_changed"] * 2
    assert session.text("grow") == "1"
    assert again.message()["method"] == "notifications/tools/list_changed"


@pytest.mark.parametrize("event_id", ["99_1", "nonsense", "1", "_", "1_x", "-1_1", "1" * 5000, ""])
def test_an_id_that_was_never_given_out_is_refused(host: Host, event_id: str) -> None:
    session = host(Mill().server).initialize()
    answer = session.listen(event_id)
    assert (answer.status, answer.error_code) == (400, -32600)


def test_the_ids_of_one_session_mean_nothing_in_another(host: Host) -> None:
    mill = Mill()
    session, stream, first = begin(mill, host)
    mill.steps.release(3)
    stream.messages()
    other = session.endpoint.initialize()
    assert other.listen(first.id).status == 400


def test_only_so_many_events_are_kept(host: Host) -> None:
    mill = Mill()
    session = host(mill.server, limits=Limits(events=2)).initialize()
    stream = session.call("grind", {"turns": 5}, progressToken="t")
    [priming] = read(stream, 1)
    mill.steps.release(5)
    stream.messages()
    assert turns(list(session.listen(priming.id).events())) == [5, "result"]


def test_a_handler_lets_its_client_go_and_come_back(host: Host, on: str) -> None:
    mill = Mill()
    session = host(mill.server, on).initialize()
    stream = session.call("rest")
    events = list(stream.events())
    assert [(event.data, event.retry) for event in events] == [("", 1000), ("", 20)]
    again = session.listen(events[-1].id)
    mill.steps.release()
    assert again.message()["result"]["content"][0]["text"] == "rested True"
    assert again.event() is None


def test_messages_for_a_disconnected_client_wait_for_it(host: Host, on: str) -> None:
    session = host(Mill().server, on).initialize()
    events = list(session.call("nap", progressToken="t").events())
    assert turns(events) == [1]
    assert turns(list(session.listen(events[-1].id).events())) == [2, "result"]


def test_a_client_that_cannot_come_back_is_not_let_go(host: Host, on: str) -> None:
    mill = Mill()
    endpoint = host(mill.server, on)
    mill.steps.release(3)
    assert endpoint.text(call("rest")) == "rested False"
    assert endpoint.initialize("2025-06-18").text("rest") == "rested False"
    session = endpoint.initialize()
    params = {"name": "rest", "arguments": {}}
    answer = session.post(session.frame("tools/call", params), {"Accept": "application/json"})
    assert answer.json["result"]["content"][0]["text"] == "rested False"


def test_a_connection_from_which_a_client_was_let_go_serves_others_as_before(host: Host) -> None:
    mill = Mill()
    endpoint = host(mill.server)
    session = endpoint.initialize()
    connection = endpoint.connect()
    params = {"name": "rest", "arguments": {}}
    let_go = session.post(session.frame("tools/call", params), connection=connection)
    *_, last = let_go.events()
    stream = endpoint.post(call("wait", progressToken=1), connection=connection)
    stream.message()
    mill.steps.release()
    assert session.listen(last.id).message()["result"]
    connection.close()
    assert mill.stopped.wait(PATIENCE)
