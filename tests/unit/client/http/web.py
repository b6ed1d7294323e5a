"""Web servers that misbehave on purpose: raw sockets, and answers written by hand."""

import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Self

Json = dict[str, Any]

PATIENCE = 10.0
STATELESS = {
    "resultType": "complete",
    "supportedVersions": ["2026-07-28"],
    "capabilities": {},
    "ttlMs": 0,
    "cacheScope": "private",
}
SESSION = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "serverInfo": {"name": "odd", "version": "1"},
}


class HungUpError(Exception):
    """The other side has closed the connection."""


class Asked:
    """One request, and the ways to answer it."""

    def __init__(self, connection: socket.socket, head: bytes, body: bytes) -> None:
        lines = head.decode("latin-1").split("\r\n")
        self.verb, self.target, _ = lines[0].split(" ", 2)
        pairs = (line.split(":", 1) for line in lines[1:])
        self.headers = {name.lower(): value.strip() for name, value in pairs}
        self.message: Json = json.loads(body) if body else {}
        self.connection = connection
        self.is_answered = False

    @property
    def method(self) -> str:
        """The method of the message, or else the verb."""
        return str(self.message.get("method", self.verb))

    def raw(self, data: bytes) -> None:
        """Send these bytes and nothing else."""
        self.is_answered = True
        self.connection.sendall(data)

    def body(
        self, data: bytes, status: int = 200, kind: str = "application/json", **headers: str
    ) -> None:
        """Answer with this body."""
        fields = {"Content-Type": kind, "Content-Length": str(len(data))}
        fields |= {name.replace("_", "-"): value for name, value in headers.items()}
        lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
        self.raw(f"HTTP/1.1 {status} Whatever\r\n{lines}\r\n".encode("latin-1") + data)

    def reply(self, result: object, **headers: str) -> None:
        """Answer with a result."""
        self.body(self._frame(result=result), 200, "application/json", **headers)

    def fail(self, code: int, message: str, status: int = 200, **more: object) -> None:
        """Answer with an error."""
        self.body(self._frame(error={"code": code, "message": message, **more}), status)

    def say(self, text: str) -> None:
        """Answer a call."""
        self.reply({"content": [{"type": "text", "text": text}]})

    def accept(self) -> None:
        """Answer what needs no answer."""
        self.body(b"", 202)

    def open_stream(self, *events: str) -> None:
        """Begin a stream of events."""
        self.raw(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            b"Transfer-Encoding: chunked\r\n\r\n"
        )
        for event in events:
            self.event(event)

    def event(self, text: str) -> None:
        """Send a piece of a stream."""
        data = text.encode()
        self.connection.sendall(b"%x\r\n%b\r\n" % (len(data), data))

    def result_event(self, result: object) -> str:
        """The answer as an event."""
        return f"data: {self._frame(result=result).decode()}\n\n"

    def end_stream(self) -> None:
        """End a stream cleanly."""
        self.connection.sendall(b"0\r\n\r\n")

    def hang_up(self) -> None:
        """Close the connection."""
        self.is_answered = True
        with suppress(OSError):
            self.connection.shutdown(socket.SHUT_RDWR)
        raise HungUpError

    def reset(self) -> None:
        """Break the connection off."""
        self.is_answered = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.connection.close()
        raise HungUpError

    def wait_for_end(self) -> bool:
        """Wait until the client closes the connection; whether it did."""
        self.connection.settimeout(PATIENCE)
        try:
            return self.connection.recv(1) == b""
        except ConnectionError:
            return True
        except TimeoutError:
            return False

    def _frame(self, **fields: object) -> bytes:
        return json.dumps({"jsonrpc": "2.0", "id": self.message.get("id"), **fields}).encode()


Handler = Callable[[Asked], object]


class Web:
    """A server that answers with functions, by method of the message or verb of the request."""

    def __init__(self, handlers: dict[str, Handler], secure: ssl.SSLContext | None = None) -> None:
        self._handlers = handlers
        self._secure = secure
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._connections: list[socket.socket] = []
        self.asked: list[Asked] = []
        self.begun = threading.Event()
        scheme = "https" if secure else "http"
        self.origin = f"{scheme}://127.0.0.1:{self._listener.getsockname()[1]}"
        self.url = f"{self.origin}/mcp"
        threading.Thread(target=self._accept, daemon=True).start()

    def methods(self) -> list[str]:
        """What has been asked, in order."""
        return [asked.method for asked in self.asked]

    def of(self, method: str) -> list[Asked]:
        """The requests with this method."""
        return [asked for asked in self.asked if asked.method == method]

    def close(self) -> None:
        """Take no more connections, and close those that there are."""
        for one in (self._listener, *self._connections):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                self._connections.append(connection)
                threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with suppress(OSError, HungUpError):
            if self._secure is not None:
                connection = self._secure.wrap_socket(connection, server_side=True)
            self._converse(connection)

    def _converse(self, connection: socket.socket) -> None:
        with connection:
            rest = b""
            while True:
                head, rest = _until(connection, rest, b"\r\n\r\n")
                length = int(_header(head, "content-length") or 0)
                while len(rest) < length:
                    rest += _received(connection)
                asked = Asked(connection, head, rest[:length])
                rest = rest[length:]
                self.asked.append(asked)
                self._answer(asked)

    def _answer(self, asked: Asked) -> None:
        handler = self._handlers.get(asked.method, DEFAULTS.get(asked.method))
        if handler is not None:
            handler(asked)
        elif "id" in asked.message:
            asked.fail(-32601, f"No such method: {asked.method}", 404)
        elif asked.verb == "POST":
            asked.accept()
        else:
            asked.body(b"", 405)


DEFAULTS: dict[str, Handler] = {
    "server/discover": lambda asked: asked.reply(STATELESS),
    "tools/list": lambda asked: asked.reply({"tools": []}),
    "tools/call": lambda asked: asked.say("done"),
}


def in_session(**headers: str) -> dict[str, Handler]:
    """What a server answers that knows sessions only."""
    headers = headers or {"Mcp_Session_Id": "session-1"}
    return {
        "server/discover": lambda asked: asked.fail(-32600, "Missing session ID", 400),
        "initialize": lambda asked: asked.reply(SESSION, **headers),
        "DELETE": lambda asked: asked.body(b"", 200),
    }


def one_after_the_other(handlers: Iterable[Handler]) -> Handler:
    """A handler that does something else each time."""
    turns = iter(handlers)

    def take_turn(asked: Asked) -> object:
        return next(turns)(asked)

    return take_turn


def replies(*results: object) -> Handler:
    """A handler that gives these results, one after the other."""
    turns = iter(results)

    def reply(asked: Asked) -> None:
        asked.reply(next(turns))

    return reply


def _until(connection: socket.socket, data: bytes, end: bytes) -> tuple[bytes, bytes]:
    while end not in data:
        data += _received(connection)
    head, _, rest = data.partition(end)
    return head, rest


def _received(connection: socket.socket) -> bytes:
    data = connection.recv(65536)
    if not data:
        raise HungUpError
    return data


def _header(head: bytes, name: str) -> str | None:
    for line in head.decode("latin-1").split("\r\n"):
        key, _, value = line.partition(":")
        if key.lower() == name:
            return value.strip()
    return None
