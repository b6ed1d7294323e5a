"""HTTP by hand: bytes on a socket, and answers read as they come.

Nothing of Paddock is in between, so that what the server sends is seen as it is. Waits are bounded.
"""

import json
import socket
import struct
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

PATIENCE = 10.0
"""Seconds after which something that must happen is taken not to."""

Json = dict[str, Any]
Headers = Mapping[str, str | None] | list[tuple[str, str]]


@dataclass(frozen=True)
class Event:
    """One server-sent event, or a comment between them."""

    id: str | None = None
    retry: int | None = None
    data: str | None = None
    comment: str | None = None

    @property
    def message(self) -> Json:
        """The one message that the event carries."""
        [found] = self.messages
        return found

    @property
    def messages(self) -> list[Json]:
        """The messages that the event carries: several only in a batch."""
        found = json.loads(self.data) if self.data else []
        return found if isinstance(found, list) else [found]


class Answer:
    """The answer to one request; its body is read when it is asked for."""

    def __init__(self, connection: "Connection", status: int, headers: list[tuple[str, str]]):
        self.status = status
        self.headers = headers
        self._connection = connection
        self._rest = b""
        self._body: bytes | None = None
        self._chunks = self._parts()

    def header(self, name: str) -> str | None:
        """The one value of a header, by its name in lower case."""
        values = [value for key, value in self.headers if key == name]
        assert len(values) < 2, self.headers
        return values[0] if values else None

    @property
    def kind(self) -> str | None:
        """The media type."""
        return self.header("content-type")

    @property
    def body(self) -> bytes:
        """All of it."""
        if self._body is None:
            self._body = b"".join(self._chunks)
        return self._body

    @property
    def json(self) -> Any:
        """The body, which is JSON."""
        assert self.kind == "application/json", (self.status, self.headers, self.body)
        return json.loads(self.body)

    @property
    def error_code(self) -> int:
        """The code of the error that the body holds."""
        code: int = self.json["error"]["code"]
        return code

    def event(self) -> Event | None:
        """The next event or comment of a stream; None when it has ended."""
        while b"\n\n" not in self._rest:
            chunk = next(self._chunks, None)
            if chunk is None:
                assert not self._rest, self._rest
                return None
            self._rest += chunk
        block, _, self._rest = self._rest.partition(b"\n\n")
        return _event(block.decode())

    def events(self) -> Iterator[Event]:
        """The rest of a stream."""
        assert self.kind == "text/event-stream", (self.status, self.headers, self.body)
        while (event := self.event()) is not None:
            yield event

    def message(self) -> Json:
        """The next message of a stream; comments and priming events are ignored."""
        for event in self.events():
            if event.data:
                return event.message
        raise AssertionError("the stream has ended")

    def messages(self) -> list[Json]:
        """The messages of the answer, whichever form it has."""
        if self.kind == "text/event-stream":
            return [message for event in self.events() for message in event.messages]
        if not self.body:
            return []
        found = self.json
        return found if isinstance(found, list) else [found]

    def close(self) -> None:
        """Leave, whether the answer is complete or not."""
        self._connection.close()

    def vanish(self) -> None:
        """Leave silently."""
        self._connection.reset()

    def _parts(self) -> Iterator[bytes]:
        connection = self._connection
        if self.status in (204, 304) or connection.is_head:
            return
        if self.header("transfer-encoding") == "chunked":
            while size := int(connection.line(), 16):
                yield connection.exactly(size)
                connection.line()
            connection.line()
            return
        length = self.header("content-length")
        if length is not None:
            yield connection.exactly(int(length))
            return
        while chunk := connection.some():
            yield chunk


class Connection:
    """One connection to a server."""

    def __init__(self, port: int, *, receive_buffer: int | None = None) -> None:
        self._socket = socket.socket()
        self._socket.settimeout(PATIENCE)
        if receive_buffer is not None:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        try:
            self._socket.connect(("127.0.0.1", port))
        except OSError:
            self._socket.close()
            raise
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._buffer = b""
        self._port = port
        self.is_head = False

    def send(self, data: bytes) -> None:
        """Send bytes as they are; a server that has hung up may not take them all."""
        with suppress(BrokenPipeError, ConnectionResetError):
            self._socket.sendall(data)

    def request(
        self,
        method: str,
        path: str,
        headers: Headers,
        body: bytes | None = None,
        *,
        version: str = "1.1",
    ) -> None:
        """Send a request; Host and Content-Length are added where they are missing."""
        given = list(headers.items()) if isinstance(headers, Mapping) else headers
        pairs = [(name, value) for name, value in given if value is not None]
        names = {name.lower() for name, _ in given}
        if "host" not in names:
            pairs.insert(0, ("Host", f"127.0.0.1:{self._port}"))
        if body is not None and not names & {"content-length", "transfer-encoding"}:
            pairs.append(("Content-Length", str(len(body))))
        lines = [f"{method} {path} HTTP/{version}", *(f"{name}: {value}" for name, value in pairs)]
        self.is_head = method == "HEAD"
        self.send("\r\n".join([*lines, "", ""]).encode("latin-1") + (body or b""))

    def answer(self) -> Answer:
        """The head of the next answer."""
        status = int(self.line().split(b" ")[1])
        headers = []
        while line := self.line():
            name, _, value = line.decode("latin-1").partition(":")
            headers.append((name.lower(), value.strip()))
        return Answer(self, status, headers)

    def is_closed(self) -> bool:
        """Wait until the server hangs up; False if it says something instead."""
        return not self.some()

    def line(self) -> bytes:
        """The next line of a head."""
        while b"\r\n" not in self._buffer:
            self._fill()
        line, _, self._buffer = self._buffer.partition(b"\r\n")
        return line

    def exactly(self, size: int) -> bytes:
        """As many bytes."""
        while len(self._buffer) < size:
            self._fill()
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data

    def some(self) -> bytes:
        """What comes next; nothing at the end."""
        data, self._buffer = self._buffer, b""
        try:
            return data or self._socket.recv(65536)
        except ConnectionResetError:
            return b""

    def wait_long(self) -> None:
        """Wait for as long as it takes: for streams on which nothing may ever come."""
        self._socket.settimeout(None)

    def shut_down(self) -> None:
        """Disconnect, so that the reader sees the end."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Hang up."""
        self._socket.close()

    def reset(self) -> None:
        """Vanish silently."""
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()

    def _fill(self) -> None:
        data = self._socket.recv(65536)
        if not data:
            raise ConnectionError(f"the server has hung up after {self._buffer!r}")
        self._buffer += data


def _event(block: str) -> Event:
    fields: dict[str, str] = {}
    for line in block.split("\n"):
        name, _, value = line.partition(":")
        assert name not in fields, block
        fields[name] = value.removeprefix(" ")
    if "" in fields:
        return Event(comment=fields[""])
    assert fields.get("event", "message") == "message", block
    retry = fields.get("retry")
    return Event(fields.get("id"), None if retry is None else int(retry), fields.get("data"))
