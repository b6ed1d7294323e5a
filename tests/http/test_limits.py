"""What a client may use up, and what it is reported when that is not enough."""

import asyncio
import json
import threading

import pytest

from paddock import Context, Limits, Server
from tests.http.endpoint import ACCEPT, Endpoint, call, mirrored
from tests.http.hosting import PADDOCK, Host, wait_until
from tests.http.raw import PATIENCE, Json

LONG = "x" * 10_000


class Press:
    """A server whose handlers can be held up."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self.go_on = threading.Event()
        self.stopped = threading.Event()
        self.flooded = threading.Event()
        self.server = Server("press")
        self.server.tool(self.echo, name="echo")
        self.server.tool(self.hold, name="hold")
        self.server.tool(self.wait, name="wait")
        self.server.tool(self.flood, name="flood")

    def echo(self, text: str) -> int:
        """How long a text is."""
        return len(text)

    def hold(self) -> str:
        """Wait until it may go on."""
        self.begun.release()
        assert self.go_on.wait(PATIENCE)
        return "held"

    async def wait(self, ctx: Context) -> None:
        """Wait for ever."""
        ctx.progress(1)
        self.begun.release()
        try:
            await asyncio.sleep(3600)
        finally:
            self.stopped.set()

    async def flood(self, ctx: Context) -> None:
        """Say more and more until no one listens any more."""
        try:
            for number in range(1, 1_000_000):
                ctx.progress(number, message=LONG)
                if number % 20 == 0:
                    await asyncio.sleep(0)
        finally:
            self.stopped.set()


def limited(host: Host, on: str = PADDOCK, **limits: float) -> tuple[Press, Endpoint]:
    press = Press()
    return press, host(press.server, on, limits=Limits(**limits))  # type: ignore[arg-type]


def test_a_body_may_be_as_long_as_the_limit(host: Host, on: str) -> None:
    message = call("echo", {"text": LONG})
    size = len(json.dumps(message))
    _, endpoint = limited(host, on, body_bytes=size)
    assert endpoint.text(message) == "10000"
    answer = endpoint.post(call("echo", {"text": LONG + "x"}))
    assert (answer.status, answer.error_code) == (413, -32600)


def test_a_body_in_chunks_is_counted_as_it_comes(host: Host, on: str) -> None:
    _, endpoint = limited(host, on, body_bytes=1000)
    message = call("echo", {"text": LONG})
    body = json.dumps(message).encode()
    chunked = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    headers = {"Accept": ACCEPT, "Content-Type": "application/json", **mirrored(message)}
    answer = endpoint.ask("POST", {**headers, "Transfer-Encoding": "chunked"}, chunked)
    assert answer.status == 413


def test_a_body_without_end_is_not_read_for_ever(host: Host) -> None:
    _, endpoint = limited(host, body_bytes=1000)
    connection = endpoint.connect()
    headers = {"Accept": ACCEPT, "Content-Type": "application/json"}
    connection.request("POST", "/mcp", {**headers, "Content-Length": str(10**15)})
    connection.send(b"x" * 2000)
    answer = connection.answer()
    assert (answer.status, answer.error_code) == (413, -32600)
    assert connection.is_closed()


@pytest.mark.parametrize(
    "headers",
    [
        [("X-Long", "x" * 5000)],
        [(f"X-{number}", "x" * 40) for number in range(100)],
        [(f"X-{number}", "") for number in range(200)],
    ],
)
def test_a_head_has_a_limit(host: Host, headers: list[tuple[str, str]]) -> None:
    _, endpoint = limited(host, header_bytes=4096)
    answer = endpoint.ask("GET", headers, path="/health")
    assert answer.status == 431
    assert answer.header("connection") == "close"


def test_the_path_counts_as_well(host: Host) -> None:
    _, endpoint = limited(host, header_bytes=4096)
    assert endpoint.ask("GET", {}, path="/" + "x" * 5000).status == 431


def test_a_header_without_end_is_not_read_for_ever(host: Host) -> None:
    _, endpoint = limited(host, header_bytes=4096)
    connection = endpoint.connect()
    connection.send(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-Endless: ")
    for _ in range(100):
        connection.send(b"x" * 10_000)
    assert connection.answer().status == 431
    assert connection.is_closed()


def test_a_server_at_its_limit_asks_to_come_back(host: Host, on: str) -> None:
    press, endpoint = limited(host, on, concurrent_requests=2)
    held: list[str] = []
    holding = [
        threading.Thread(target=lambda: held.append(endpoint.text(call("hold")))) for _ in range(2)
    ]
    for thread in holding:
        thread.start()
        assert press.begun.acquire(timeout=PATIENCE)
    answer = endpoint.post(call("echo", {"text": ""}))
    assert (answer.status, answer.header("retry-after")) == (503, "1")
    assert answer.error_code == -32600
    assert endpoint.ask("GET", {}, path="/health").status == 200
    press.go_on.set()
    for thread in holding:
        thread.join(PATIENCE)
    assert held == ["held", "held"]
    assert endpoint.text(call("echo", {"text": ""})) == "0"


def test_a_server_takes_only_so_many_connections(host: Host) -> None:
    _, endpoint = limited(host, connections=2)
    wait_until(lambda: endpoint.ask("GET", {"Connection": "close"}, path="/health").status == 200)
    kept = [endpoint.connect(), endpoint.connect()]
    for connection in kept:
        assert endpoint.ask("GET", {}, path="/health", connection=connection).body
    refused = endpoint.connect()
    answer = refused.answer()
    assert (answer.status, answer.header("retry-after")) == (503, "1")
    assert refused.is_closed()
    kept[0].close()
    wait_until(lambda: endpoint.ask("GET", {}, path="/health").status == 200)


@pytest.mark.parametrize("token", [None, 1], ids=["json", "stream"])
def test_a_handler_that_takes_too_long_is_stopped(host: Host, token: int | None) -> None:
    press, endpoint = limited(host, call_seconds=0.05)
    meta: Json = {} if token is None else {"progressToken": token}
    *_, answer = endpoint.post(call("wait", **meta)).messages()
    assert answer["error"]["code"] == -32603
    assert "0.05 s" in answer["error"]["message"]
    assert press.stopped.wait(PATIENCE)


def test_a_handler_of_a_session_that_takes_too_long_is_stopped(host: Host) -> None:
    press, endpoint = limited(host, call_seconds=0.05)
    session = endpoint.initialize()
    *_, answer = session.call("wait", progressToken=1).messages()
    assert answer["error"]["code"] == -32603
    assert press.stopped.wait(PATIENCE)
    assert session.ask("ping").json["result"] == {}


def test_a_stream_on_which_nothing_happens_shows_that_it_lives(host: Host, on: str) -> None:
    _, endpoint = limited(host, on, keep_alive_seconds=0.05, drain_seconds=0.1)
    with endpoint.listening(toolsListChanged=True) as stream:
        event = stream.event()
        assert event is not None
        assert event.comment == "keep-alive"


def test_an_answer_that_takes_long_becomes_a_stream_that_shows_that_it_lives(host: Host) -> None:
    _, endpoint = limited(host, keep_alive_seconds=0.05, drain_seconds=0.1)
    waiting = endpoint.post(call("wait"))
    assert waiting.kind == "text/event-stream"
    first = waiting.event()
    assert first is not None
    assert first.comment == "keep-alive"
    waiting.close()


def test_the_stream_of_a_session_shows_that_it_lives(host: Host) -> None:
    _, endpoint = limited(host, keep_alive_seconds=0.05)
    stream = endpoint.initialize().listen()
    events = [stream.event(), stream.event()]
    assert [event.comment for event in events if event] == [None, "keep-alive"]


def test_a_connection_that_no_one_uses_is_closed(host: Host) -> None:
    _, endpoint = limited(host, idle_seconds=0.05)
    silent, used = endpoint.connect(), endpoint.connect()
    endpoint.ask("GET", {}, path="/health", connection=used).json  # noqa: B018 - read it
    assert silent.is_closed()
    assert used.is_closed()


@pytest.mark.parametrize(
    "begun", [b"GET /mcp HT", b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-Slow: "]
)
def test_a_request_that_does_not_come_to_its_end_is_given_up(host: Host, begun: bytes) -> None:
    _, endpoint = limited(host, receive_seconds=0.05)
    connection = endpoint.connect()
    connection.send(begun)
    assert connection.answer().status == 408
    assert connection.is_closed()


def test_a_body_that_does_not_come_is_given_up(host: Host) -> None:
    _, endpoint = limited(host, receive_seconds=0.05)
    connection = endpoint.connect()
    headers = {"Content-Type": "application/json", "Content-Length": "100"}
    connection.request("POST", "/mcp", headers)
    connection.send(b"{")
    assert connection.answer().status == 408
    assert connection.is_closed()


def test_a_client_that_does_not_read_is_cut_off(host: Host, on: str) -> None:
    press, endpoint = limited(host, on, backlog_bytes=50_000)
    connection = endpoint.connect(receive_buffer=4096)
    message = call("flood", progressToken=1)
    headers = {"Accept": ACCEPT, "Content-Type": "application/json", **mirrored(message)}
    connection.request("POST", "/mcp", headers, json.dumps(message).encode())
    assert press.stopped.wait(PATIENCE)


def test_a_session_outlives_a_client_that_does_not_read(host: Host) -> None:
    press, endpoint = limited(host, backlog_bytes=50_000, events=5)
    session = endpoint.initialize()
    connection = endpoint.connect(receive_buffer=4096)
    params: Json = {"name": "flood", "arguments": {}, "_meta": {"progressToken": 1}}
    body = json.dumps(session.frame("tools/call", params)).encode()
    headers = {"Accept": ACCEPT, "Content-Type": "application/json", **session.headers}
    connection.request("POST", "/mcp", headers, body)
    answer = connection.answer()
    assert answer.event() is not None
    while connection.some():
        pass
    assert session.ask("ping").json["result"] == {}
    assert session.delete().status == 204
    assert press.stopped.wait(PATIENCE)
