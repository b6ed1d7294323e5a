"""Servers on real sockets in this process, and a client that sends any bytes it likes."""

import json
import logging
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

import uvicorn

from paddock import Limits, Server, http_app
from soak.messages import Voice
from tests.ports import free_port

PATIENCE = 20.0
"""Seconds after which something counts as hanging."""

Json = dict[str, Any]


class Raw:
    """One connection to a server."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), PATIENCE)
        self._buffer = b""

    @property
    def buffered(self) -> bytes:
        """What has come and was not asked for yet."""
        return self._buffer

    def send(self, data: bytes) -> None:
        """Send bytes."""
        self.socket.sendall(data)

    def answer(self) -> tuple[int, dict[str, str], bytes]:
        """The next answer: status, headers, and the body, whole and without its chunks."""
        while True:
            head, headers = self.head()
            if head != 100:
                break
        if headers.get("transfer-encoding") == "chunked":
            return head, headers, b"".join(self.chunks())
        if "content-length" not in headers:
            return head, headers, b"" if head in (204, 304) else self.rest()
        return head, headers, self._read(int(headers["content-length"]))

    def head(self) -> tuple[int, dict[str, str]]:
        """The status and the headers of the next answer."""
        status, *lines = self._until(b"\r\n\r\n").decode("latin-1").split("\r\n")[:-2]
        version, code, *_ = status.split(" ", 2)
        assert version == "HTTP/1.1", status
        pairs = [line.partition(":") for line in lines]
        return int(code), {name.lower(): value.strip() for name, _, value in pairs}

    def chunks(self) -> Iterator[bytes]:
        """The parts of a body of unknown length."""
        while size := int(self._until(b"\r\n"), 16):
            yield self._read(size + 2)[:-2]
        assert self._read(2) == b"\r\n"

    def call(self, tool: str, **arguments: object) -> Json:
        """Call a tool in the stateless era; the answer."""
        self.send(call_bytes(tool, **arguments))
        status, _, body = self.answer()
        assert status == 200, (status, body)
        message: Json = json.loads(body)
        return message

    def pause(self, seconds: float) -> None:
        """Be slow."""
        threading.Event().wait(seconds)

    def rest(self) -> bytes:
        """Everything until the server hangs up."""
        found = self._buffer
        self._buffer = b""
        while part := self._receive():
            found += part
        return found

    def reset(self) -> None:
        """Vanish."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def close(self) -> None:
        """Hang up."""
        self.socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _until(self, mark: bytes) -> bytes:
        while mark not in self._buffer:
            part = self._receive()
            if not part:
                raise ConnectionError(f"The server hung up after {self._buffer!r}")
            self._buffer += part
        found, _, self._buffer = self._buffer.partition(mark)
        return found + mark

    def _read(self, size: int) -> bytes:
        while len(self._buffer) < size:
            part = self._receive()
            if not part:
                raise ConnectionError(f"The server hung up, {size - len(self._buffer)} bytes early")
            self._buffer += part
        found, self._buffer = self._buffer[:size], self._buffer[size:]
        return found

    def _receive(self) -> bytes:
        try:
            return self.socket.recv(65536)
        except ConnectionError:
            return b""


def call_bytes(tool: str, **arguments: object) -> bytes:
    """A call in the stateless era as an HTTP request."""
    return Voice("2026-07-28").call(tool, arguments, request_id=1)


class Session:
    """A client's session, on any number of connections."""

    def __init__(self, port: int, version: str = "2025-11-25") -> None:
        self.port = port
        self.voice = Voice(version)
        with Raw(port) as line:
            line.send(self.voice.opening(0))
            status, headers, _ = line.answer()
            assert status == 200
            self.voice.session = headers["mcp-session-id"]

    def line(self) -> Raw:
        """A new connection."""
        return Raw(self.port)

    def ask(self, request: bytes) -> tuple[int, dict[str, str], bytes]:
        """Send a request on a connection of its own."""
        with self.line() as line:
            line.send(request)
            return line.answer()

    def cancel(self, request_id: int) -> None:
        """Cancel a request."""
        params: Json = {"requestId": request_id}
        assert self.ask(self.voice.request("notifications/cancelled", params))[0] == 202


@contextmanager
def own_server(server: Server, limits: Limits | None = None) -> Iterator[int]:
    """A server on our own HTTP server; its port."""
    port = free_port()
    thread = threading.Thread(
        target=server.run, kwargs={"http": f"127.0.0.1:{port}", "limits": limits}, daemon=True
    )
    thread.start()
    _wait_for(port, thread)
    try:
        yield port
    finally:
        server.stop()
        thread.join(PATIENCE)
        assert not thread.is_alive(), "The server does not end"


@contextmanager
def uvicorn_server(server: Server, limits: Limits | None = None) -> Iterator[int]:
    """A server behind uvicorn; its port."""
    port = free_port()
    app = http_app(server, limits=limits)
    config = uvicorn.Config(app, port=port, lifespan="on", log_config=None)
    running = uvicorn.Server(config)
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    thread = threading.Thread(target=running.run, daemon=True)
    thread.start()
    _wait_for(port, thread)
    try:
        yield port
    finally:
        running.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive(), "The server does not end"


CARRIERS = {"own": own_server, "uvicorn": uvicorn_server}


def _wait_for(port: int, thread: threading.Thread) -> None:
    ended = threading.Event()
    while thread.is_alive():
        try:
            socket.create_connection(("127.0.0.1", port), PATIENCE).close()
        except OSError:
            ended.wait(0.01)
        else:
            return
    raise AssertionError("The server has not begun to listen")
