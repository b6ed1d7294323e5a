"""HTTP in our own server: connections, bodies, and invalid requests."""

import json
import threading

import pytest

from paddock import Context, Server
from tests.http.endpoint import ACCEPT, Endpoint, call, mirrored
from tests.http.hosting import Host
from tests.http.raw import PATIENCE, Connection, Json


@pytest.fixture
def endpoint(host: Host) -> Endpoint:
    server = Server("s")

    @server.tool
    def echo(text: str) -> str:
        """Give a text back."""
        return text

    @server.tool
    def count(ctx: Context) -> str:
        """Make a stream."""
        ctx.progress(1)
        return "counted"

    return host(server)


def said(text: str, request_id: int = 1) -> Json:
    return call("echo", {"text": text}, request_id=request_id)


def headers(message: Json, **more: str | None) -> dict[str, str | None]:
    usual = {"Accept": ACCEPT, "Content-Type": "application/json", **mirrored(message)}
    return {**usual, **{name.replace("_", "-"): value for name, value in more.items()}}


def request(connection: Connection, message: Json, **more: str | None) -> None:
    body = json.dumps(message).encode()
    connection.request("POST", "/mcp", headers(message, **more), body)


def text(connection: Connection) -> str:
    answer = connection.answer()
    found: str = answer.messages()[-1]["result"]["content"][0]["text"]
    return found


def test_a_connection_serves_many_requests(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    for number in range(10):
        request(connection, said(f"{number}"))
        assert text(connection) == f"{number}"


def test_a_connection_continues_after_a_refusal(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    request(connection, said("one"), Content_Type="text/plain")
    assert connection.answer().json["error"]["code"] == -32600
    request(connection, said("two"))
    assert text(connection) == "two"


def test_a_connection_continues_after_a_stream(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    request(connection, call("count", progressToken=1))
    assert text(connection) == "counted"
    request(connection, said("on"))
    assert text(connection) == "on"


def test_a_client_can_have_the_connection_closed(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    request(connection, said("bye"), Connection="close")
    answer = connection.answer()
    assert answer.header("connection") == "close"
    assert answer.json["result"]
    assert connection.is_closed()


def test_requests_that_come_together_are_answered_in_order(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    for number in range(20):
        request(connection, said(f"{number}", number))
    assert [text(connection) for _ in range(20)] == [f"{number}" for number in range(20)]


def test_a_stream_keeps_its_place_among_requests_that_come_together(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    request(connection, said("first"))
    request(connection, call("count", progressToken=1))
    request(connection, said("last"))
    assert [text(connection) for _ in range(3)] == ["first", "counted", "last"]


def test_a_body_comes_in_chunks(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    message = said("in pieces")
    body = json.dumps(message).encode()
    connection.request("POST", "/mcp", headers(message, Transfer_Encoding="chunked"))
    for start in range(0, len(body), 100):
        piece = body[start : start + 100]
        connection.send(b"%x;ext=1\r\n%b\r\n" % (len(piece), piece))
    connection.send(b"0\r\nTrailer: x\r\n\r\n")
    assert text(connection) == "in pieces"


def test_a_request_comes_byte_by_byte(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    message = said("slowly")
    body = json.dumps(message).encode()
    lines = [f"{name}: {value}" for name, value in headers(message).items()]
    lines += ["Host: localhost", f"Content-Length: {len(body)}", "", ""]
    for byte in b"POST /mcp HTTP/1.1\r\n" + "\r\n".join(lines).encode() + body:
        connection.send(bytes([byte]))
    assert text(connection) == "slowly"


def test_a_client_that_expects_100_continue_receives_it(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    message = said("sent after all")
    body = json.dumps(message).encode()
    more = {"Expect": "100-continue", "Content-Length": str(len(body))}
    connection.request("POST", "/mcp", headers(message, **more))
    assert connection.line() == b"HTTP/1.1 100 Continue"
    assert connection.line() == b""
    connection.send(body)
    assert text(connection) == "sent after all"


@pytest.mark.parametrize(
    ("name", "value", "status"),
    [
        ("Content-Type", "text/plain", 415),
        ("Host", "evil.example.com", 403),
        ("Content-Length", str(10**12), 413),
    ],
)
def test_a_client_that_asks_is_refused_before_it_sends_its_body(
    endpoint: Endpoint, name: str, value: str, status: int
) -> None:
    connection = endpoint.connect()
    more = {"Content-Length": "100", "Expect": "100-continue", name: value}
    connection.request("POST", "/mcp", headers(said("x"), **more))
    answer = connection.answer()
    assert answer.status == status
    assert answer.error_code == -32600
    assert connection.is_closed()


def test_http_1_0_is_spoken(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    message = said("old")
    body = json.dumps(message).encode()
    connection.request("POST", "/mcp", headers(message), body, version="1.0")
    assert text(connection) == "old"
    assert connection.is_closed()


def test_a_stream_in_http_1_0_ends_with_the_connection(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    message = call("count", progressToken=1)
    body = json.dumps(message).encode()
    connection.request("POST", "/mcp", headers(message), body, version="1.0")
    answer = connection.answer()
    assert answer.header("transfer-encoding") is None
    assert len(answer.messages()) == 2


@pytest.mark.parametrize(("path", "status"), [("/health", 200), ("/mcp", 405), ("/no", 404)])
def test_head_is_answered_without_a_body(endpoint: Endpoint, path: str, status: int) -> None:
    connection = endpoint.connect()
    for _ in range(2):
        connection.request("HEAD", path, {})
        answer = connection.answer()
        assert answer.status == status
        assert int(str(answer.header("content-length"))) > 0
    request(connection, said("and on"))
    assert text(connection) == "and on"


def test_the_whole_address_may_is_in_the_request(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    connection.request("GET", "http://localhost/health", {})
    assert connection.answer().status == 200


@pytest.mark.parametrize(
    "data",
    [
        b"nonsense\r\n\r\n",
        b"GET /mcp HTTP/9.9\r\nHost: localhost\r\n\r\n",
        b"GET /mcp HTTP/1.1\r\nHost : localhost\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: -5\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: a\x00b\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
def test_what_is_not_a_http_is_refused_and_the_connection_closed(
    endpoint: Endpoint, data: bytes
) -> None:
    connection = endpoint.connect()
    connection.send(data)
    answer = connection.answer()
    assert answer.status == 400
    assert answer.header("connection") == "close"
    assert answer.body == b""
    assert connection.is_closed()


def test_an_upgrade_is_not_offered(endpoint: Endpoint) -> None:
    connection = endpoint.connect()
    upgrade = {"Connection": "Upgrade", "Upgrade": "websocket"}
    connection.request("GET", "/mcp", upgrade)
    assert connection.answer().status in (400, 405)


def test_a_large_message_passes_both_ways(endpoint: Endpoint) -> None:
    long = "snow ☃ " * 200_000
    assert endpoint.text(said(long)) == long


def test_no_answer_goes_to_another_client(host: Host) -> None:
    server, ready = Server("s"), threading.Barrier(40)

    @server.tool
    def meet(name: str, ctx: Context) -> str:
        """Wait for all the others."""
        ctx.progress(1, message=name)
        ready.wait(PATIENCE)
        return name

    endpoint = host(server)
    wrong: list[object] = []

    def visit(name: str) -> None:
        message = call("meet", {"name": name}, request_id=1, progressToken=1)
        progress, answer = endpoint.post(message).messages()
        heard = (progress["params"]["message"], answer["result"]["content"][0]["text"])
        if heard != (name, name):
            wrong.append((name, heard))

    visitors = [threading.Thread(target=visit, args=(f"n{i}",)) for i in range(ready.parties)]
    for visitor in visitors:
        visitor.start()
    for visitor in visitors:
        visitor.join(PATIENCE)
    assert wrong == []
