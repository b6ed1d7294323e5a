"""Our own HTTP/1.1: one connection of a client, parsed by llhttp (`httptools`).

Between the socket and the service there is no other layer, no task for a request and no queue:
that is what makes it twice as fast as an ASGI server (docs/decisions/0005). One request at a time
is answered on a connection; a client that sends several gets the answers in order.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple, cast

import httptools

from paddock.transports.http.access import Logged
from paddock.transports.http.contract import USUAL_HEADERS, Head, Response

try:
    import fcntl
    import termios
except ImportError:  # Windows
    fcntl = termios = None  # type: ignore[assignment]  # where it is not there

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.transports.http.contract import Headers
    from paddock.transports.http.service import Service

MAX_HEADERS = 128
READ_SIZE = 256 * 1024
"""How much the event loops read at once, at the most."""
READ_AHEAD = 16
"""Requests that may wait before we stop reading, after which a client's leaving goes unnoticed."""
MAX_PIPELINED = 64
MAX_KNOWN = 512
MAX_KNOWN_HEAD = 4096
END_OF_HEAD = b"\r\n\r\n"
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
_STATUS_LINES = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus
}
_USUAL_ANSWER = (
    b"HTTP/1.1 200 OK\r\n%bcontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
)
_TOO_MANY_HEADERS = Response(431, [], b"")
_MALFORMED = Response(400, [], b"")
_TOO_MANY = Response(503, [], b"")
_TOO_SLOW = Response(408, [], b"")
_BROKEN = Response(500, [], b"")
_SPECIAL = frozenset(
    {b"authorization", b"connection", b"cookie", b"expect", b"transfer-encoding", b"upgrade"}
)
"""Headers that change how a request is read, or that nobody should keep."""
_OF_AN_UPGRADE = frozenset({b"connection", b"upgrade", b"http2-settings"})

log = logging.getLogger("paddock.http")


class Arrived(NamedTuple):
    """A whole request, and how it is to be answered."""

    head: Head | None
    body: bytes
    keeps_alive: bool
    is_chunked: bool
    refusal: Response | None = None
    """What is answered without a look at the body."""


class KnownHeads:
    """Heads that the parser has accepted, so that the same bytes need not be parsed again.

    Clients send the same head with every request. Only plain ones are kept: a POST that was let
    in, with a length and nothing else that changes how it is read, and no credentials.
    """

    def __init__(self) -> None:
        self._known: dict[bytes, tuple[Head, int]] = {}

    def find(self, data: bytes) -> tuple[Head, bytes] | None:
        """The head and the body of data that is exactly one request with a known head."""
        end = data.find(END_OF_HEAD) + len(END_OF_HEAD)
        known = self._known.get(data[:end])
        if known is None or len(data) - end != known[1]:
            return None
        return known[0], data[end:]

    def learn(self, data: bytes, arrived: Arrived) -> None:
        """Take note of the head of data that was exactly one request, from its first byte on."""
        head, end = arrived.head, data.find(END_OF_HEAD) + len(END_OF_HEAD)
        # Nothing but the head itself may become known by its bytes: this keeps everybody's heads.
        is_whole = len(END_OF_HEAD) < end <= MAX_KNOWN_HEAD and data[end:] == arrived.body
        if head is None or arrived.refusal is not None or not is_whole:
            return
        is_plain = head.method == "POST" and arrived.keeps_alive and arrived.is_chunked
        names = head.headers.keys()
        if not is_plain or head.repeated or not names.isdisjoint(_SPECIAL):
            return
        if head.headers.get(b"content-length") != b"%d" % len(arrived.body):
            return
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        self._known[data[:end]] = (head, len(arrived.body))


class Wire(asyncio.Protocol):
    """One connection: requests in, answers out."""

    _begun: float
    _head: Head | None
    _response: Response | None

    def __init__(
        self,
        service: Service,
        open_wires: set[Wire],
        heads: KnownHeads,
        date: Callable[[], bytes],
    ) -> None:
        self._service = service
        self._heads = heads
        self._limits = service.limits
        self._open_wires = open_wires
        self._date = date
        self._parser = httptools.HttpRequestParser(self)
        self._transport: asyncio.Transport = cast("asyncio.Transport", None)
        self._waiting: list[Arrived] = []
        self._reset()
        self._is_answering = False
        self._is_streaming = False
        self._is_chunked = True
        self._is_head = False
        self._keeps_alive = True
        self._is_closing = False
        self._is_deaf = False
        self._is_between = True
        self._arrived: list[Arrived] = []
        self._is_full = self._is_paused = False
        self._last_moved = monotonic()
        self._sent = self._taken = 0
        self.on_close: Callable[[], None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A client has connected."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=self._limits.backlog_bytes // 4)
        self._open_wires.add(self)
        if len(self._open_wires) > self._limits.connections:
            self._refuse(Response(503, [(b"retry-after", b"1")], b""))

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self._open_wires.discard(self)
        self._is_closing = True
        self._waiting.clear()
        on_close, self.on_close = self.on_close, None
        if on_close is not None:
            on_close()

    def data_received(self, data: bytes) -> None:
        """Bytes have come."""
        self._last_moved = now = monotonic()
        if self._is_closing or self._is_deaf:
            return
        is_at_start = self._is_between
        if is_at_start and self._answers_known(data):
            return
        if self._is_endless(data, now):
            self._refuse(_TOO_MANY_HEADERS)
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._decline_upgrade(data[upgrade.args[0] :])
        except httptools.HttpParserCallbackError:
            log.exception("A request could not be taken")
            self._refuse(_BROKEN)
        except httptools.HttpParserError:
            self._refuse(_MALFORMED)
        arrived, self._arrived = self._arrived, []
        if is_at_start and self._is_between and len(arrived) == 1 and not self._is_deaf:
            self._heads.learn(data, arrived[0])

    def _is_endless(self, data: bytes, now: float) -> bool:
        """Whether there is too much around a body: before it is parsed, as it fills the memory.

        That is the head, and of a body in chunks their lengths and what follows the last one.
        """
        self._begun = self._begun or now
        self._framed += len(data)
        if self._head is None:
            return self._framed > self._limits.header_bytes + READ_SIZE
        around = self._framed - self._size - self._skipped
        return around > self._limits.body_bytes + self._limits.header_bytes + READ_SIZE

    def _answers_known(self, data: bytes) -> bool:
        """Answer a request whose head is known, without parsing it."""
        is_busy = self._is_answering or self._waiting or self._is_full
        if is_busy or self._service.is_draining:
            return False
        known = self._heads.find(data)
        if known is None:
            return False
        self._answer(Arrived(*known, keeps_alive=True, is_chunked=True))
        return True

    def eof_received(self) -> bool:
        """The client sends no more, which counts as leaving."""
        return False

    def pause_writing(self) -> None:
        """The client does not read as fast as we write."""
        self._is_full = True

    def resume_writing(self) -> None:
        """The client has caught up."""
        self._is_full = False
        self._last_moved = monotonic()
        self._go_on()

    # What the parser calls.

    def on_message_begin(self) -> None:
        """The first byte of a request."""
        self._is_between = False

    def on_url(self, url: bytes) -> None:
        """A part of the request's target."""
        self._url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header; those that follow a body in chunks are of no use to us."""
        if self._head is None:
            self._headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        """The head is complete: refuse what need not be read any further."""
        if self._is_closing or self._is_deaf:
            return
        headers = self._headers
        if len(headers) > MAX_HEADERS or self._is_head_too_long():
            self._refuse(_TOO_MANY_HEADERS)
            return
        head = Head.of(self._parser.get_method().decode("ascii"), _path(self._url), headers)
        self._head = head
        self._response = self._service.admit(head)
        expects = head.headers.get(b"expect", b"").lower() == b"100-continue"
        if not expects or self._is_answering:
            return
        if self._response is None:
            self._transport.write(CONTINUE)
        else:  # the client waits for this before it sends the body, if it sends it at all
            self._refuse(self._response)

    def on_body(self, body: bytes) -> None:
        """A part of the body."""
        if self._is_deaf:
            return
        if self._response is not None:
            self._skipped += len(body)
            if self._skipped > self._limits.body_bytes:
                self._refuse(self._response)
            return
        self._size += len(body)
        if self._size > self._limits.body_bytes and self._head is not None:
            self._response = self._service.too_large(self._head)
            self._body.clear()
            return
        self._body.append(body)

    def on_message_complete(self) -> None:
        """A request is complete: answer it, or keep it until the one before is answered."""
        head, parser = self._head, self._parser
        if self._is_closing or self._is_deaf or head is None:
            return
        is_upgrade = parser.should_upgrade()
        if is_upgrade and head.method != "CONNECT":
            return  # its body is yet to come: see _decline_upgrade
        body = self._body[0] if len(self._body) == 1 else b"".join(self._body)
        keeps_alive = parser.should_keep_alive() and not is_upgrade
        is_chunked = parser.get_http_version() != "1.0"
        arrived = Arrived(head, body, keeps_alive, is_chunked, self._response)
        self._is_between = True
        self._arrived.append(arrived)
        self._reset()
        if self._is_answering or self._is_full or self._waiting:
            self._keep(arrived)
        else:
            self._answer(arrived)

    # What the service calls.

    @property
    def client(self) -> tuple[str, int] | None:
        """The address and port of the client; None for a socket that has none."""
        name = self._transport.get_extra_info("peername")
        return (str(name[0]), int(name[1])) if isinstance(name, tuple) else None

    def respond(self, response: Response) -> None:
        """Send a whole answer."""
        body = response.body
        if response.headers is USUAL_HEADERS and response.status == 200 and self._is_usual():
            self._write(_USUAL_ANSWER % (self._date(), len(body), body))
            self._answered()
            return
        parts = [_STATUS_LINES[response.status], self._date()]
        parts.extend(b"%b: %b\r\n" % header for header in response.headers)
        if response.status not in (204, 304):
            parts.append(b"content-length: %d\r\n" % len(body))
        if not self._keeps_alive:
            parts.append(b"connection: close\r\n")
        parts.append(b"\r\n")
        if not self._is_head:
            parts.append(body)
        self._write(b"".join(parts))
        self._answered()

    def _is_usual(self) -> bool:
        return self._keeps_alive and not self._is_head

    def open_stream(self, headers: Headers) -> None:
        """Begin an answer of unknown length."""
        self._is_streaming = True
        parts = [_STATUS_LINES[200], self._date()]
        parts.extend(b"%b: %b\r\n" % header for header in headers)
        if self._is_chunked:
            parts.append(b"transfer-encoding: chunked\r\n")
        else:
            self._keeps_alive = False
        if not self._keeps_alive:
            parts.append(b"connection: close\r\n")
        parts.append(b"\r\n")
        self._write(b"".join(parts))
        self._resume()  # a client that leaves is noticed only by reading

    def write(self, chunk: bytes) -> bool:
        """Send a part of a stream; False when the client reads too slowly, or is gone."""
        backlog = self._transport.get_write_buffer_size()
        if backlog > self._limits.backlog_bytes or self._transport.is_closing():
            return False
        self._write(b"%x\r\n%b\r\n" % (len(chunk), chunk) if self._is_chunked else chunk)
        return True

    def end(self) -> None:
        """A stream is complete."""
        if self._is_chunked:
            self._write(b"0\r\n\r\n")
        self._answered()

    def abort(self) -> None:
        """Break off."""
        self._is_closing = True
        self.on_close = None
        self._transport.abort()

    @property
    def is_gone(self) -> bool:
        """Whether nothing can be sent any more."""
        return self._is_closing

    # What the server calls.

    def check(self, now: float) -> None:
        """Close a connection on which nothing has moved for too long."""
        limits = self._limits
        unsent = self._transport.get_write_buffer_size()
        taken = self._sent - unsent - (_in_kernel(self._transport) if unsent else 0)
        if taken != self._taken:  # the client reads, however slowly
            self._taken = taken
            self._last_moved = now
        idle = now - self._last_moved
        if unsent:
            if idle > limits.write_seconds:
                self._transport.abort()
        elif self._is_answering:
            return
        elif self._begun:
            if idle > limits.receive_seconds or now - self._begun > limits.receive_seconds * 2:
                self._refuse(_TOO_SLOW)
        elif idle > limits.idle_seconds:
            self._transport.close()

    def drain(self) -> None:
        """Close after the answer that is under way, or now if there is none."""
        self._keeps_alive = False
        if not self._is_answering and not self._is_closing:
            self._is_closing = True
            self._transport.close()

    def _reset(self) -> None:
        self._url = b""
        self._headers: Headers = []
        self._head = None
        self._response = None
        self._body: list[bytes] = []
        self._size = self._skipped = self._framed = 0
        self._begun = 0.0

    def _is_head_too_long(self) -> bool:
        limit = self._limits.header_bytes
        if self._framed <= limit:
            return False
        return len(self._url) + sum(len(name) + len(value) for name, value in self._headers) > limit

    def _keep(self, arrived: Arrived) -> None:
        """Answer a request later, when those before it have been answered."""
        size = sum(len(waiting.body) for waiting in self._waiting) + len(arrived.body)
        if len(self._waiting) >= MAX_PIPELINED or size > self._limits.body_bytes:
            self._refuse(_TOO_MANY)
            return
        self._waiting.append(arrived)
        if len(self._waiting) >= READ_AHEAD and not self._is_streaming:
            self._pause()

    def _answer(self, arrived: Arrived) -> None:
        head = arrived.head
        self._is_answering = True
        self._is_head = head is not None and head.method == "HEAD"
        self._is_chunked = arrived.is_chunked
        if not arrived.keeps_alive:
            self._keeps_alive = False
        outgoing = Logged(self, head) if self._service.is_logging else self
        if arrived.refusal is not None:
            outgoing.respond(arrived.refusal)
        elif head is not None:
            self._service.take(head, arrived.body, outgoing)

    def _answered(self) -> None:
        self._is_answering = self._is_streaming = False
        self.on_close = None
        if not self._keeps_alive:
            self._is_closing = True
            self._transport.close()
        elif self._waiting or self._is_paused:
            asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on(self) -> None:
        """Answer what had to wait."""
        if self._is_closing or self._is_answering or self._is_full:
            return
        if self._waiting:
            self._answer(self._waiting.pop(0))
        else:
            self._resume()

    def _pause(self) -> None:
        if not self._is_paused:
            self._is_paused = True
            self._transport.pause_reading()

    def _resume(self) -> None:
        if self._is_paused and not self._is_closing:
            self._is_paused = False
            self._transport.resume_reading()

    def _refuse(self, response: Response) -> None:
        """Answer what cannot be understood, after what could be, and hang up."""
        if self._is_deaf:
            return
        self._is_deaf = True
        refused = Arrived(None, b"", keeps_alive=False, is_chunked=True, refusal=response)
        if self._is_answering or self._waiting or self._is_full:
            self._waiting.append(refused)
            self._resume()  # what comes is not listened to; but a client that leaves is noticed
        else:
            self._answer(refused)

    def _decline_upgrade(self, rest: bytes) -> None:
        """Go on in HTTP/1.1 with a client that would rather speak something else.

        The parser takes what follows the head for that other protocol; so it is given the head
        once more, without the offer.
        """
        head = self._head
        if head is None or self._is_closing or head.method == "CONNECT":
            return
        kept = [pair for pair in self._headers if pair[0] not in _OF_AN_UPGRADE]
        lines = [b"%b %b HTTP/1.1" % (head.method.encode(), self._url)]
        lines += [b"%b: %b" % pair for pair in kept]
        self._reset()
        self._parser = httptools.HttpRequestParser(self)
        self.data_received(b"\r\n".join([*lines, b"", b""]) + rest)

    def _write(self, data: bytes) -> None:
        if not self._transport.get_write_buffer_size():
            self._last_moved = monotonic()  # from now on it is the client's turn
        if not self._transport.is_closing():
            self._sent += len(data)
            self._transport.write(data)


def _in_kernel(transport: asyncio.Transport) -> int:
    """Bytes that the system has taken over, and the client has not: megabytes, for a slow one."""
    if fcntl is None or termios is None:
        return 0
    try:
        size = fcntl.ioctl(transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4))
    except OSError:
        return 0
    return int.from_bytes(size, sys.byteorder)


def _path(url: bytes) -> str:
    if not url.startswith(b"/"):
        try:
            url = httptools.parse_url(url).path or b"/"
        except httptools.HttpParserInvalidURLError:
            return ""
    return url.partition(b"?")[0].decode("latin-1")
