"""One connection, byte by byte: what other clients do that ours do not."""

import json
import socket
import threading

import pytest

from paddock import Context, Limits, Server
from tests.http_load.live import PATIENCE, Raw, Session, call_bytes, own_server

H2C = b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n"


def adding() -> Server:
    server = Server("s")

    @server.tool(inline=True)
    def add(a: int, b: int) -> int:
        return a + b

    return server


def sums(body: bytes) -> int:
    return int(json.loads(body)["result"]["content"][0]["text"])


@pytest.mark.parametrize("cut", [0, 30, 300, 500])
def test_an_offer_to_speak_another_protocol_is_ignored(cut: int) -> None:
    line_end = b"HTTP/1.1\r\n"
    call = call_bytes("add", a=1, b=2).replace(line_end, line_end + H2C)
    with own_server(adding()) as port, Raw(port) as line:
        line.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        line.send(call[:cut])
        line.send(call[cut:] + call_bytes("add", a=3, b=4))
        assert sums(line.answer()[2]) == 3
        assert sums(line.answer()[2]) == 7


def test_a_request_for_a_tunnel_is_refused() -> None:
    with own_server(adding()) as port, Raw(port) as line:
        line.send(b"CONNECT example.org:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nwhatever")
        assert line.answer()[0] in (404, 405)
        assert line.rest() == b""


def test_an_old_request_behind_a_stream_does_not_change_the_form_of_the_stream() -> None:
    server = adding()
    go_on = threading.Event()

    @server.tool
    def steps(ctx: Context) -> str:
        ctx.progress(1)
        assert go_on.wait(PATIENCE)
        ctx.progress(2)
        return "done"

    with own_server(server) as port:
        session = Session(port)
        with session.line() as line:
            line.send(session.voice.call("steps", {}, request_id=1, progress="p"))
            assert line.head()[1]["transfer-encoding"] == "chunked"
            line.send(b"GET /health HTTP/1.0\r\n\r\n")
            go_on.set()
            assert b'"done"' in b"".join(line.chunks())
            assert line.answer()[2] == b'{"status":"ok"}'


def test_a_client_that_reads_slowly_but_steadily_gets_all_of_its_answer() -> None:
    server = Server("s")
    size = 6_000_000

    @server.tool
    def large() -> str:
        return "x" * size

    with own_server(server, Limits(write_seconds=1)) as port, Raw(port) as line:
        line.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        line.send(call_bytes("large"))
        _, headers = line.head()
        got = 0
        for _ in range(30):  # three seconds in which it takes little at a time
            got += len(line.socket.recv(10_000))
            line.pause(0.1)
        while got < int(headers["content-length"]) - len(line.buffered):
            part = line.socket.recv(1_000_000)
            assert part, f"cut off after {got} bytes"
            got += len(part)


def test_a_client_that_does_not_read_is_cut_off() -> None:
    server = Server("s")

    @server.tool
    def large() -> str:
        return "x" * 20_000_000

    with own_server(server, Limits(write_seconds=0.5)) as port, Raw(port) as line:
        line.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        line.send(call_bytes("large"))
        line.pause(3)  # it is the absence of a client that is tested
        assert len(line.rest()) < 20_000_000


def test_the_events_of_all_sessions_together_have_a_limit() -> None:
    server = Server("s")

    @server.tool
    async def told(ctx: Context) -> str:
        ctx.progress(1, message="x" * 400)
        return "done"

    with own_server(server, Limits(all_event_bytes=1000)) as port:
        first, second = Session(port), Session(port)
        for session in (first, second):
            call = session.voice.call("told", {}, request_id=1, progress="p")
            assert session.ask(call)[0] == 200
        assert b'"done"' not in first.ask(first.voice.without_body("GET", "1_0"))[2]
        assert b'"done"' in second.ask(second.voice.without_body("GET", "1_0"))[2]


def test_tasks_end_with_the_session_that_alone_could_ask_about_them() -> None:
    server = Server("s")
    began, ended = threading.Event(), threading.Event()

    @server.tool(task="optional")
    def work(ctx: Context) -> str:
        pause = threading.Event()
        began.set()
        try:
            while True:
                pause.wait(0.01)
        finally:
            ended.set()

    with own_server(server) as port:
        session = Session(port)
        call = session.voice.call("work", {}, request_id=1, task={"ttl": 3_600_000})
        assert session.ask(call)[0] == 200
        assert began.wait(PATIENCE)
        assert session.ask(session.voice.without_body("DELETE"))[0] == 204
        assert ended.wait(PATIENCE)
