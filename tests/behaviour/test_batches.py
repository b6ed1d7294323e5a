"""Arrays of messages: part of one version, refused in all others."""

import asyncio
import json
import threading

import pytest

from paddock import Server, Tool
from tests.behaviour.line import PATIENCE, Json, Line
from tests.behaviour.wire import SESSION, STATELESS
from tests.conftest import Connect

BATCH_VERSION = "2025-03-26"


def opened(connect: Connect, server: Server, version: str = BATCH_VERSION) -> Line:
    line = connect.silent(server)
    line.open(version)
    line.answer(line.request("ping"))
    return line


def ping(key: object) -> Json:
    return {"jsonrpc": "2.0", "id": key, "method": "ping"}


def call(key: object, tool: str) -> Json:
    return {"jsonrpc": "2.0", "id": key, "method": "tools/call", "params": {"name": tool}}


def last_line(line: Line) -> object:
    """What the server said in its last line."""
    return json.loads([text for speaker, text in line.transcript.lines if speaker == "server"][-1])


def test_a_batch_is_answered_with_one_array(connect: Connect) -> None:
    server = Server("s", tools=Tool("hi", lambda: "hello"))

    @server.tool
    async def later() -> str:
        await asyncio.sleep(0)
        return "later"

    line = opened(connect, server)
    line.send([ping("a"), call("b", "hi"), call("c", "later"), call("d", "no"), ping("e")])
    for key in "abcde":
        line.answer(key)
    answers = last_line(line)
    assert isinstance(answers, list)
    assert sorted(answer["id"] for answer in answers) == list("abcde")


def test_a_batch_of_notifications_and_answers_is_not_answered(connect: Connect) -> None:
    line = opened(connect, Server("s"))
    line.send([{"jsonrpc": "2.0", "method": "notifications/initialized"}])
    line.send([{"jsonrpc": "2.0", "id": 9, "result": {}}])
    assert line.heard() == []


def test_what_is_not_a_request_is_not_refused_for_the_version_that_it_names(
    connect: Connect,
) -> None:
    line = opened(connect, Server("s"))
    params = {"_meta": {"io.modelcontextprotocol/protocolVersion": STATELESS}}
    line.send([{"jsonrpc": "2.0", "id": 9, "error": None, "params": params}])
    line.send([{"jsonrpc": "2.0", "method": "notifications/initialized", "params": params}])
    assert line.heard() == []


def test_an_empty_batch_is_an_invalid_request(connect: Connect) -> None:
    line = opened(connect, Server("s"))
    line.send([])
    answer = line.take(lambda _: True)
    assert "id" not in answer
    assert answer["error"]["code"] == -32600


def test_every_wrong_message_of_a_batch_has_an_error_of_its_own(connect: Connect) -> None:
    line = opened(connect, Server("s"))
    line.send([1, "x", None, {}, {"jsonrpc": "1.0", "id": 5, "method": "ping"}, ping("good")])
    assert line.answer("good")["result"] == {}
    assert line.answer(5)["error"]["code"] == -32600
    others = line.heard()
    assert [answer["error"]["code"] for answer in others] == [-32600] * 4


def test_a_batch_inside_a_batch_is_an_invalid_request(connect: Connect) -> None:
    line = opened(connect, Server("s"))
    line.send([[ping("inner")], ping("outer")])
    assert line.answer("outer")["result"] == {}
    (answer,) = line.heard()
    assert answer["error"]["code"] == -32600
    assert "id" not in answer


@pytest.mark.parametrize("depth", [10, 400, 2000])
def test_batches_nested_deeply_do_no_harm(connect: Connect, depth: int) -> None:
    line = opened(connect, Server("s"))
    line.write(b"[" * depth + b"]" * depth + b"\n", recorded={})
    assert line.take(lambda _: True)["error"]["code"] == -32600
    assert line.heard() == []


def test_a_batch_is_complete_without_the_answer_to_a_cancelled_request(connect: Connect) -> None:
    server, started = Server("s"), threading.Event()

    def spin() -> None:
        started.set()
        while True:
            pass

    server.register(Tool("spin", spin))
    line = opened(connect, server)
    line.send([call("spin", "spin"), ping("kept")])
    assert started.wait(PATIENCE)
    line.cancel("spin")
    assert line.answer("kept")["result"] == {}
    assert line.heard() == []


def test_a_batch_is_complete_without_the_answer_to_a_cancelled_async_request(
    connect: Connect,
) -> None:
    server, started = Server("s"), threading.Event()

    @server.tool
    async def wait() -> None:
        started.set()
        await asyncio.Event().wait()

    line = opened(connect, server)
    line.send([call("wait", "wait"), ping("kept")])
    assert started.wait(PATIENCE)
    line.cancel("wait")
    assert line.answer("kept")["result"] == {}
    assert line.heard() == []


@pytest.mark.parametrize("version", ["2025-11-25", "2025-06-18", "2024-11-05"])
def test_a_batch_is_refused_in_every_other_version(connect: Connect, version: str) -> None:
    line = opened(connect, Server("s"), version)
    line.send([ping("a"), ping("b")])
    answer = line.take(lambda _: True)
    assert "id" not in answer
    assert answer["error"]["code"] == -32600
    assert line.heard() == []


@pytest.mark.parametrize("messages", [[], [ping("a")], [[]]])
def test_a_batch_is_refused_before_a_version_is_agreed_on(
    connect: Connect, messages: list[object]
) -> None:
    line = connect.silent(Server("s"), SESSION)
    line.send(messages)
    assert line.take(lambda _: True)["error"]["code"] == -32600
    assert line.heard() == []


def test_a_batch_of_stateless_requests_is_refused(connect: Connect) -> None:
    line = connect(Server("s"), STATELESS)
    line.send([line.frame("server/discover"), line.frame("tools/list")])
    answer = line.take(lambda _: True)
    assert "id" not in answer
    assert answer["error"]["code"] == -32600
    assert line.heard() == []
