"""Clients that mean harm, or could do some: to the memory, to others, to what we know again."""

import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from paddock import Authorization, Context, Limits, Server, StaticTokens
from paddock.transports.http.executor import BRIEF_WAIT_SECONDS
from tests.behaviour.wire import META_KEY, SESSION
from tests.http.endpoint import Endpoint, call, mirrored, stateless
from tests.http.hosting import Host

THREADS = Path("/proc/self/task")


def inn() -> Server:
    server = Server("inn")

    @server.tool
    def greet(name: str = "you") -> str:
        """Greet."""
        return f"Hello, {name}!"

    return server


@pytest.fixture
def endpoint(host: Host) -> Endpoint:
    return host(inn())


def head_of(endpoint: Endpoint, message: dict[str, Any], **changed: str) -> bytes:
    """The head of a POST of a message, as a client writes it."""
    body = msgspec.json.encode(message)
    headers = {
        "host": f"127.0.0.1:{endpoint.port}",
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "content-length": str(len(body)),
        **{name.lower(): value or "" for name, value in mirrored(message).items()},
        **changed,
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"POST /mcp HTTP/1.1\r\n{lines}\r\n".encode()


def test_a_head_inside_a_body_does_not_become_one_that_is_known(endpoint: Endpoint) -> None:
    message = call("greet")
    body = msgspec.json.encode(message)
    forged = head_of(endpoint, message, host="evil.example", origin="https://evil.example")
    attack = call("greet", {"name": "x" * 50})
    bodies = msgspec.json.encode(attack)
    for split in (len(bodies), 20):
        attacker = endpoint.connect()
        padded = bodies[:split] + b" " * (len(forged) * 2) + bodies[split:] + forged
        length = {"content-length": str(len(padded))}
        attacker.send(head_of(endpoint, attack, **length) + padded[: -len(forged)])
        attacker.send(padded[-len(forged) :])
        assert attacker.answer().status == 400  # what follows the message is not a JSON
    victim = endpoint.connect()
    victim.send(forged + body)
    assert victim.answer().status == 403


def test_a_connection_is_cut_that_sends_headers_after_the_body_for_ever(host: Host) -> None:
    endpoint = host(inn(), limits=Limits(body_bytes=50_000, header_bytes=2_000))
    message = call("greet")
    body = msgspec.json.encode(message)
    head = head_of(endpoint, message).replace(
        f"content-length: {len(body)}".encode(), b"transfer-encoding: chunked"
    )
    connection = endpoint.connect()
    connection.send(head + b"%x\r\n%b\r\n0\r\n" % (len(body), body))
    for number in range(1000):
        connection.send(b"x-%d: %b\r\n" % (number, b"y" * 1000))
    assert connection.answer().status == 431


def test_headers_after_the_body_are_ignored(endpoint: Endpoint) -> None:
    message = call("greet")
    body = msgspec.json.encode(message)
    head = head_of(endpoint, message).replace(
        f"content-length: {len(body)}".encode(), b"transfer-encoding: chunked"
    )
    connection = endpoint.connect()
    connection.send(head + b"%x\r\n%b\r\n0\r\nmcp-name: other\r\n\r\n" % (len(body), body))
    assert connection.answer().json["result"]["content"][0]["text"] == "Hello, you!"


@pytest.mark.parametrize("method", ["subscriptions/listen", "tools/call", "tools/list"])
def test_what_is_alone_cannot_hide_in_a_batch(endpoint: Endpoint, method: str) -> None:
    session = endpoint.initialize("2025-03-26")
    params = {"notifications": {"toolsListChanged": True}, "name": "greet"}
    batch = [stateless(method, params, request_id="a"), session.frame("ping")]
    refused, answered = session.post(batch).json
    assert (refused["id"], refused["error"]["code"]) == ("a", -32600)
    assert answered["result"] == {}


def test_a_client_that_opens_many_sessions_loses_its_own_first(host: Host) -> None:
    tokens = {"a": {"subject": "ada"}, "b": {"subject": "bob"}}
    endpoint = host(
        inn(),
        limits=Limits(sessions=3),
        authorization=Authorization(StaticTokens(tokens), resource="http://127.0.0.1/mcp"),
    )
    ada, bob = ({"Authorization": f"Bearer {token}"} for token in "ab")
    of_ada = endpoint.initialize(headers=ada)
    of_bob = [endpoint.initialize(headers=bob) for _ in range(5)]
    assert of_ada.text("greet") == "Hello, you!"
    assert [one.call("greet").status for one in of_bob] == [404, 404, 404, 200, 200]


@pytest.mark.parametrize("path", ["", "/mcp"])
def test_the_document_about_tokens_is_public(host: Host, path: str) -> None:
    authorization = Authorization(
        StaticTokens({"a": "ada"}),
        resource="http://127.0.0.1/mcp",
        authorization_servers=["https://login.example.org"],
    )
    endpoint = host(inn(), authorization=authorization)
    where = f"/.well-known/oauth-protected-resource{path}"
    origin = {"Origin": "https://page.example"}
    answer = endpoint.ask("GET", path=where, headers=origin)
    assert answer.json["authorization_servers"] == ["https://login.example.org"]
    assert answer.header("access-control-allow-origin") == "*"
    asked = endpoint.ask("OPTIONS", path=where, headers=origin)
    assert (asked.status, asked.header("access-control-allow-headers")) == (204, "*")


def test_an_accept_header_may_be_written_in_several_lines(endpoint: Endpoint) -> None:
    message = stateless("subscriptions/listen", {"notifications": {}})
    body = msgspec.json.encode(message)
    head = head_of(endpoint, message, accept="application/json\r\naccept: text/event-stream")
    connection = endpoint.connect()
    connection.send(head + body)
    answer = connection.answer()
    assert (answer.status, answer.kind) == (200, "text/event-stream")


def test_a_newer_version_is_reported_ours_whatever_its_parameters_are(endpoint: Endpoint) -> None:
    newer: dict[str, Any] = {f"{META_KEY}protocolVersion": "2031-01-01"}
    message = stateless("tools/call", {"tool": 1}, **newer)
    answer = endpoint.post(message)
    assert (answer.status, answer.error_code) == (400, -32022)


def test_a_session_that_takes_no_stream_cannot_be_asked(host: Host) -> None:
    server = Server("curious")

    @server.tool
    def wonder(ctx: Context) -> str:
        """Ask."""
        return ctx.elicit("Name?").wait().action

    session = host(server).initialize(SESSION, capabilities={"elicitation": {}})
    frame = session.frame("tools/call", {"name": "wonder", "arguments": {}})
    result = session.post(frame, headers={"Accept": "application/json"}).json["result"]
    assert result["isError"] is True
    assert "does not accept a stream" in result["content"][0]["text"]


@pytest.mark.skipif(not THREADS.is_dir(), reason="threads are counted where Linux lists them")
def test_threads_do_not_pile_up_behind_handlers_that_are_nearly_slow(host: Host) -> None:
    server, nap = Server("naps"), threading.Event()

    @server.tool
    def doze() -> str:
        """Take about as long as the event loop waits."""
        nap.wait(BRIEF_WAIT_SECONDS)
        return "awake"

    endpoint = host(server)
    assert endpoint.text(call("doze")) == "awake"
    before = len(list(THREADS.iterdir()))
    for _ in range(1000):
        assert endpoint.text(call("doze")) == "awake"
    assert len(list(THREADS.iterdir())) <= before + 2
