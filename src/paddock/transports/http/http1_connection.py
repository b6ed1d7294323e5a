"""HTTP/1.1 connections for Paddock's own server, parsed by llhttp (`httptools`).

The connection calls the service directly, without another layer, task or queue in between. This
makes the server twice as fast as an ASGI server (docs/decisions/0005). A connection answers one
request at a time, so pipelined requests are answered in order.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

import httptools

from paddock.transports.http.access_log import LoggedResponder
from paddock.transports.http.messages import JSON_HEADERS, HttpResponse, RequestHead

try:
    import fcntl
    import termios
except ImportError:  # Windows
    fcntl = termios = None  # type: ignore[assignment]  # modules elsewhere

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.transports.http.messages import Headers
    from paddock.transports.http.service import HttpService

MAX_HEADERS = 128
MAX_READ_BYTES = 256 * 1024
"""Maximum number of bytes that asyncio's event loops read at once."""
MAX_READ_AHEAD_REQUESTS = 16
"""Reading is paused when this many requests are queued. Disconnects then go unnoticed."""
MAX_PIPELINED_REQUESTS = 64
MAX_CACHED_HEADS = 512
MAX_CACHED_HEAD_BYTES = 4096
END_OF_HEAD = b"\r\n\r\n"
CONTINUE_RESPONSE = b"HTTP/1.1 100 Continue\r\n\r\n"
_STATUS_LINES = {
    status.value: f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode() for status in HTTPStatus
}
_JSON_RESPONSE_TEMPLATE = (
    b"HTTP/1.1 200 OK\r\n%bcontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b"
)
_TOO_MANY_HEADERS = HttpResponse(431, [], b"")
_BAD_REQUEST = HttpResponse(400, [], b"")
_TOO_MANY_REQUESTS = HttpResponse(503, [], b"")
_REQUEST_TIMEOUT = HttpResponse(408, [], b"")
_INTERNAL_SERVER_ERROR = HttpResponse(500, [], b"")
_UNCACHEABLE_HEADERS = frozenset(
    {b"authorization", b"connection", b"cookie", b"expect", b"transfer-encoding", b"upgrade"}
)
"""Headers that affect how a request is read or that contain credentials."""
_UPGRADE_HEADERS = frozenset({b"connection", b"upgrade", b"http2-settings"})

log = logging.getLogger("paddock.http")


class ParsedRequest(NamedTuple):
    """A complete request, with the HTTP properties that its response depends on."""

    head: RequestHead | None
    body: bytes
    keeps_alive: bool
    accepts_chunked: bool
    early_response: HttpResponse | None = None
    """A response that does not depend on the body."""


class IncomingRequest:
    """The state of a request while it is being received."""

    __slots__ = (
        "body_bytes",
        "body_parts",
        "early_response",
        "head",
        "headers",
        "received_bytes",
        "skipped_bytes",
        "started_at",
        "url",
    )

    def __init__(self) -> None:
        self.url = b""
        self.headers: Headers = []
        self.head: RequestHead | None = None
        self.early_response: HttpResponse | None = None
        self.body_parts: list[bytes] = []
        self.body_bytes = self.skipped_bytes = self.received_bytes = 0
        self.started_at = 0.0

    def exceeds_head_limit(self, max_bytes: int) -> bool:
        """Return True if the target and the headers are larger than the limit."""
        # Fast path: the total number of bytes is usually smaller, so the headers need not be added
        # up.
        if self.received_bytes <= max_bytes:
            return False
        header_bytes = sum(len(name) + len(value) for name, value in self.headers)
        return len(self.url) + header_bytes > max_bytes


class RequestHeadCache:
    """A cache of parsed request heads, keyed by their raw bytes.

    Clients send the same head with every request, so most requests need no parsing. Only plain
    heads are cached: those of accepted POST requests that have a content length, no credentials,
    and no headers that affect how the request is read.
    """

    def __init__(self) -> None:
        self._heads: dict[bytes, tuple[RequestHead, int]] = {}

    def find_head(self, data: bytes) -> tuple[RequestHead, bytes] | None:
        """Return the head and body if the data is exactly one request with a cached head.

        Otherwise, the result is None and the data must be parsed.
        """
        head_end = data.find(END_OF_HEAD) + len(END_OF_HEAD)
        cached_head = self._heads.get(data[:head_end])
        if cached_head is None or len(data) - head_end != cached_head[1]:
            return None
        return cached_head[0], data[head_end:]

    def add_head(self, data: bytes, parsed_request: ParsedRequest) -> None:
        """Cache the head of a parsed request if that is safe.

        Args:
            data: The received bytes. They are not cached if they contain more than one request.
            parsed_request: The request that the parser found in the data.
        """
        head, head_end = parsed_request.head, data.find(END_OF_HEAD) + len(END_OF_HEAD)
        # All connections share the cache, so the key must be the complete head and nothing else.
        # Otherwise, one client could plant a head that is used for another client's bytes.
        is_cacheable = (
            len(END_OF_HEAD) < head_end <= MAX_CACHED_HEAD_BYTES
            and data[head_end:] == parsed_request.body
        )
        if head is None or parsed_request.early_response is not None or not is_cacheable:
            return
        is_plain_post = (
            head.method == "POST" and parsed_request.keeps_alive and parsed_request.accepts_chunked
        )
        header_names = head.headers.keys()
        if not is_plain_post or head.repeated or not header_names.isdisjoint(_UNCACHEABLE_HEADERS):
            return
        if head.headers.get(b"content-length") != b"%d" % len(parsed_request.body):
            return
        if len(self._heads) >= MAX_CACHED_HEADS:
            # Active clients are cached again on their next request, so no order is kept.
            self._heads.clear()
        self._heads[data[:head_end]] = (head, len(parsed_request.body))


# Literals rather than enums: reading an enum member takes 50 ns, multiple times per request.
InputState = Literal["between requests", "in request", "ignored"]
"""Position in the input stream. `ignored` means that the input was rejected."""
ResponseState = Literal["none", "pending", "streaming"]
"""The progress of the response to the current request."""
ConnectionState = Literal["kept alive", "last response", "closing"]
"""State of the connection. It only moves forward: after the `last response`, it closes."""


class Http1Connection(asyncio.Protocol):
    """One client connection."""

    def __init__(
        self,
        service: HttpService,
        open_connections: set[Http1Connection],
        head_cache: RequestHeadCache,
        get_date_header: Callable[[], bytes],
    ) -> None:
        """Create the protocol for a connection that the event loop has accepted.

        Args:
            service: Handles the parsed requests.
            open_connections: The server's connections, which include this one while it is open.
            head_cache: The cache of parsed request heads, shared by all connections.
            get_date_header: Returns the Date header line.
        """
        self._service = service
        self._head_cache = head_cache
        self._limits = service.limits
        self._open_connections = open_connections
        self._get_date_header = get_date_header
        self._parser = httptools.HttpRequestParser(self)
        self._transport: asyncio.Transport = cast("asyncio.Transport", None)
        self._queued_requests: list[ParsedRequest] = []
        self._incoming = IncomingRequest()
        self._state: ConnectionState = "kept alive"
        self._input_state: InputState = "between requests"
        self._response_state: ResponseState = "none"
        self._accepts_chunked = True
        self._is_head_request = False
        self._parsed_requests: list[ParsedRequest] = []
        self._is_writing_paused = self._is_reading_paused = False
        self._last_activity = monotonic()
        self._sent_bytes = self._acknowledged_bytes = 0
        self.on_close: Callable[[], None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Start the connection, or reject it if there are too many."""
        self._transport = cast("asyncio.Transport", transport)
        self._transport.set_write_buffer_limits(high=self._limits.backlog_bytes // 4)
        self._open_connections.add(self)
        if len(self._open_connections) > self._limits.connections:
            self._reject_input(HttpResponse(503, [(b"retry-after", b"1")], b""))

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection and report the disconnect to the current exchange.

        Called by asyncio when the connection is closed.
        """
        self._open_connections.discard(self)
        self._state = "closing"
        self._queued_requests.clear()
        on_close, self.on_close = self.on_close, None
        if on_close is not None:
            on_close()

    def data_received(self, data: bytes) -> None:
        """Parse received bytes. Called by asyncio; the parser then calls the `on_…` methods below.

        If the data is exactly one request, it may be answered from the head cache without parsing.
        Otherwise, its head may be added to the cache.
        """
        self._last_activity = now = monotonic()
        # Inlined from `_ignores_input`, because this runs for every request.
        if self._state == "closing" or self._input_state == "ignored":
            return
        is_at_start = self._input_state == "between requests"
        if is_at_start and self._answer_cached_head(data):
            return
        if self._exceeds_framing_limit(data, now):
            self._reject_input(_TOO_MANY_HEADERS)
            return
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            self._decline_upgrade(data[upgrade.args[0] :])
        except httptools.HttpParserCallbackError:
            log.exception("A request could not be parsed")
            self._reject_input(_INTERNAL_SERVER_ERROR)
        except httptools.HttpParserError:
            self._reject_input(_BAD_REQUEST)
        parsed_requests, self._parsed_requests = self._parsed_requests, []
        is_at_end = self._input_state == "between requests"
        if is_at_start and is_at_end and len(parsed_requests) == 1:
            self._head_cache.add_head(data, parsed_requests[0])

    def _exceeds_framing_limit(self, data: bytes, now: float) -> bool:
        """Return True if the data around the body is too large, before the parser stores it.

        This covers the head and, for a chunked body, the chunk headers and the trailers. The limits
        checked later count only what the parser reports, but the parser stores these bytes first.
        """
        incoming = self._incoming
        incoming.started_at = incoming.started_at or now
        incoming.received_bytes += len(data)
        if incoming.head is None:
            return incoming.received_bytes > self._limits.header_bytes + MAX_READ_BYTES
        framing_bytes = incoming.received_bytes - incoming.body_bytes - incoming.skipped_bytes
        return framing_bytes > self._limits.body_bytes + self._limits.header_bytes + MAX_READ_BYTES

    def _answer_cached_head(self, data: bytes) -> bool:
        """Answer a request with a cached head without parsing it.

        Returns:
            False if the data must be parsed: its head is not cached, or it would have to be queued.
        """
        # Inlined from `_must_queue`.
        is_busy = self._response_state != "none" or self._is_writing_paused
        if is_busy or self._queued_requests or self._service.is_draining:
            return False
        cached_head = self._head_cache.find_head(data)
        if cached_head is None:
            return False
        self._start_response(ParsedRequest(*cached_head, keeps_alive=True, accepts_chunked=True))
        return True

    def eof_received(self) -> bool:
        """Close the connection, because a client that stops sending is treated as disconnected."""
        return False

    def pause_writing(self) -> None:
        """Stop answering requests because the client reads too slowly."""
        self._is_writing_paused = True

    def resume_writing(self) -> None:
        """Continue with the next request because the client has caught up."""
        self._is_writing_paused = False
        self._last_activity = monotonic()
        self._continue_queue()

    # Parser callbacks.

    def on_message_begin(self) -> None:
        """Begin a request."""
        if self._input_state != "ignored":
            self._input_state = "in request"

    def on_url(self, url: bytes) -> None:
        """Store a part of the request target."""
        self._incoming.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Store a header. Trailers after a chunked body are ignored."""
        if self._incoming.head is None:
            self._incoming.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        """Check the head of a request. Called by the parser as soon as the head is complete.

        The service may reject the request without reading its body. Before sending the body,
        clients that use `Expect: 100-continue` wait for this decision.
        """
        if self._ignores_input():
            return
        incoming = self._incoming
        has_many_headers = len(incoming.headers) > MAX_HEADERS
        if has_many_headers or incoming.exceeds_head_limit(self._limits.header_bytes):
            self._reject_input(_TOO_MANY_HEADERS)
            return
        method = self._parser.get_method().decode("ascii")
        head = RequestHead.from_pairs(method, _decode_path(incoming.url), incoming.headers)
        incoming.head = head
        incoming.early_response = self._service.answer_head(head)
        expects_continue = head.headers.get(b"expect", b"").lower() == b"100-continue"
        if not expects_continue or self._response_state != "none":
            return
        if incoming.early_response is None:
            self._transport.write(CONTINUE_RESPONSE)
        else:  # The client may or may not send the body now, so the connection must close.
            self._reject_input(incoming.early_response)

    def on_body(self, body: bytes) -> None:
        """Store a part of the body, or skip it if the request has already been rejected.

        Called by the parser for each part.
        """
        if self._input_state == "ignored":
            return
        incoming = self._incoming
        # The body of a rejected request is read and discarded, so that the connection stays usable.
        # If it exceeds the limit, the connection is closed instead.
        if incoming.early_response is not None:
            incoming.skipped_bytes += len(body)
            if incoming.skipped_bytes > self._limits.body_bytes:
                self._reject_input(incoming.early_response)
            return
        incoming.body_bytes += len(body)
        if incoming.body_bytes > self._limits.body_bytes and incoming.head is not None:
            incoming.early_response = self._service.make_too_large_response(incoming.head)
            incoming.body_parts.clear()
            return
        incoming.body_parts.append(body)

    def on_message_complete(self) -> None:
        """Answer the request, or queue it until the previous one is answered.

        Called by the parser when the body is complete.
        """
        incoming, parser = self._incoming, self._parser
        head, parts = incoming.head, incoming.body_parts
        if head is None or self._ignores_input():
            return
        is_upgrade = parser.should_upgrade()
        if is_upgrade and head.method != "CONNECT":
            return  # The parser stops here without the body: see _decline_upgrade.
        body = parts[0] if len(parts) == 1 else b"".join(parts)
        keeps_alive = parser.should_keep_alive() and not is_upgrade
        accepts_chunked = parser.get_http_version() != "1.0"
        parsed_request = ParsedRequest(
            head, body, keeps_alive, accepts_chunked, incoming.early_response
        )
        self._input_state = "between requests"
        self._parsed_requests.append(parsed_request)
        self._incoming = IncomingRequest()
        if self._must_queue():
            self._queue_request(parsed_request)
        else:
            self._start_response(parsed_request)

    # Responder interface.

    @property
    def client_address(self) -> tuple[str, int] | None:
        """The client's address and port; None for a socket without one."""
        name = self._transport.get_extra_info("peername")
        return (str(name[0]), int(name[1])) if isinstance(name, tuple) else None

    def respond(self, response: HttpResponse) -> None:
        """Send a complete response to the current request.

        The connection then continues with the next request, or is closed.
        """
        body = response.body
        # Fast path for the usual response, which is formatted with a single template.
        if (
            response.headers is JSON_HEADERS
            and response.status == 200
            and self._state == "kept alive"
            and not self._is_head_request
        ):
            self._write_data(_JSON_RESPONSE_TEMPLATE % (self._get_date_header(), len(body), body))
            self._finish_response()
            return
        parts = [_STATUS_LINES[response.status], self._get_date_header()]
        parts.extend(b"%b: %b\r\n" % header for header in response.headers)
        if response.status not in (204, 304):
            parts.append(b"content-length: %d\r\n" % len(body))
        parts.append(self._end_headers())
        if not self._is_head_request:
            parts.append(body)
        self._write_data(b"".join(parts))
        self._finish_response()

    def open_stream(self, headers: Headers) -> None:
        """Begin a response of unknown length with status 200, such as a stream of events.

        The chunks are sent with `write`. HTTP/1.0 has no chunked encoding, so the response ends
        when the connection closes.
        """
        self._response_state = "streaming"
        parts = [_STATUS_LINES[200], self._get_date_header()]
        parts.extend(b"%b: %b\r\n" % header for header in headers)
        if self._accepts_chunked:
            parts.append(b"transfer-encoding: chunked\r\n")
        else:
            self._mark_last_response()
        parts.append(self._end_headers())
        self._write_data(b"".join(parts))
        # A client's disconnect is noticed only while reading.
        self._resume_reading()

    def write(self, chunk: bytes) -> bool:
        """Send a chunk of the stream. Return False if the client is too slow or disconnected."""
        unsent_bytes = self._transport.get_write_buffer_size()
        if unsent_bytes > self._limits.backlog_bytes or self._transport.is_closing():
            return False
        self._write_data(b"%x\r\n%b\r\n" % (len(chunk), chunk) if self._accepts_chunked else chunk)
        return True

    def end(self) -> None:
        """Complete the stream."""
        if self._accepts_chunked:
            self._write_data(b"0\r\n\r\n")
        self._finish_response()

    def abort(self) -> None:
        """Close the connection immediately."""
        self._state = "closing"
        self.on_close = None
        self._transport.abort()

    @property
    def is_gone(self) -> bool:
        """Whether the connection is closing or closed."""
        return self._state == "closing"

    # Called by the server.

    def check_timeouts(self, now: float) -> None:
        """Close the connection if the client has been inactive for too long.

        Different limits apply while a response is being written, while a request is being
        received, and between requests.
        """
        limits = self._limits
        unsent_bytes = self._transport.get_write_buffer_size()
        kernel_bytes = _count_unsent_kernel_bytes(self._transport) if unsent_bytes else 0
        acknowledged_bytes = self._sent_bytes - unsent_bytes - kernel_bytes
        # A client that reads slowly is not inactive.
        if acknowledged_bytes != self._acknowledged_bytes:
            self._acknowledged_bytes = acknowledged_bytes
            self._last_activity = now
        idle_seconds = now - self._last_activity
        if unsent_bytes:
            if idle_seconds > limits.write_seconds:
                self._transport.abort()
        elif self._response_state != "none":
            return  # The limit for handlers applies instead (Limits.call_seconds).
        elif self._incoming.started_at:
            # The total limit stops clients that never pause but send a few bytes at a time.
            receiving_seconds = now - self._incoming.started_at
            is_late = receiving_seconds > limits.receive_seconds * 2
            if is_late or idle_seconds > limits.receive_seconds:
                self._reject_input(_REQUEST_TIMEOUT)
        elif idle_seconds > limits.idle_seconds:
            self._transport.close()

    def close_after_response(self) -> None:
        """Close after the current response. An idle connection closes immediately."""
        self._mark_last_response()
        is_idle = self._response_state == "none"
        if is_idle and self._state == "last response":
            self._state = "closing"
            self._transport.close()

    def _ignores_input(self) -> bool:
        return self._state == "closing" or self._input_state == "ignored"

    def _must_queue(self) -> bool:
        """Return whether a new request has to wait for the responses to earlier ones."""
        is_answering = self._response_state != "none"
        return is_answering or self._is_writing_paused or bool(self._queued_requests)

    def _mark_last_response(self) -> None:
        if self._state == "kept alive":
            self._state = "last response"

    def _end_headers(self) -> bytes:
        """Return the end of the headers, with a last header if the connection will be closed."""
        is_kept_alive = self._state == "kept alive"
        return b"\r\n" if is_kept_alive else b"connection: close\r\n\r\n"

    def _queue_request(self, parsed_request: ParsedRequest) -> None:
        """Queue a request that arrived before the previous one was answered.

        If the queue is full, the request is rejected and the connection ends after the responses
        to the queued ones.
        """
        queued_bytes = sum(len(queued.body) for queued in (*self._queued_requests, parsed_request))
        is_full = len(self._queued_requests) >= MAX_PIPELINED_REQUESTS
        if is_full or queued_bytes > self._limits.body_bytes:
            self._reject_input(_TOO_MANY_REQUESTS)
            return
        self._queued_requests.append(parsed_request)
        is_streaming = self._response_state == "streaming"
        if len(self._queued_requests) >= MAX_READ_AHEAD_REQUESTS and not is_streaming:
            self._pause_reading()

    def _start_response(self, parsed_request: ParsedRequest) -> None:
        """Pass a request to the service, which responds immediately or later.

        A request that was rejected early gets its prepared response. Must not be called while
        another response is in progress on this connection.
        """
        head = parsed_request.head
        self._response_state = "pending"
        self._is_head_request = head is not None and head.method == "HEAD"
        self._accepts_chunked = parsed_request.accepts_chunked
        if not parsed_request.keeps_alive:
            self._mark_last_response()
        responder = LoggedResponder(self, head) if self._service.is_logging else self
        if parsed_request.early_response is not None:
            responder.respond(parsed_request.early_response)
        elif head is not None:
            self._service.handle_request(head, parsed_request.body, responder)

    def _finish_response(self) -> None:
        """Complete a response and close the connection if it was the last one.

        Otherwise the next queued request is answered in a later turn of the event loop.
        """
        self._response_state = "none"
        self.on_close = None
        if self._state == "last response":
            self._state = "closing"
            self._transport.close()
        elif self._queued_requests or self._is_reading_paused:
            # A direct call would recurse once per pipelined request.
            asyncio.get_running_loop().call_soon(self._continue_queue)

    def _continue_queue(self) -> None:
        """Answer the next queued request, or resume reading if the queue is empty."""
        is_answering = self._response_state != "none"
        if is_answering or self._is_writing_paused or self._state == "closing":
            return
        if self._queued_requests:
            self._start_response(self._queued_requests.pop(0))
        else:
            self._resume_reading()

    def _pause_reading(self) -> None:
        if not self._is_reading_paused:
            self._is_reading_paused = True
            self._transport.pause_reading()

    def _resume_reading(self) -> None:
        if self._is_reading_paused and self._state != "closing":
            self._is_reading_paused = False
            self._transport.resume_reading()

    def _reject_input(self, response: HttpResponse) -> None:
        """Reject the input with an error response, then close the connection.

        The responses to queued requests are sent first. Any further input is ignored.
        """
        if self._input_state == "ignored":
            return
        self._input_state = "ignored"
        parsed_request = ParsedRequest(
            None, b"", keeps_alive=False, accepts_chunked=True, early_response=response
        )
        if self._must_queue():
            self._queued_requests.append(parsed_request)
            self._resume_reading()  # Input is ignored, but disconnects are noticed.
        else:
            self._start_response(parsed_request)

    def _decline_upgrade(self, remainder: bytes) -> None:
        """Continue with HTTP/1.1 when a client offers another protocol.

        RFC 9110, section 7.8, lets a server ignore the offer. The parser, however, treats the rest
        of the data as the other protocol, so it gets the head again without the offer.
        """
        head = self._incoming.head
        is_closing = self._state == "closing"
        if head is None or is_closing or head.method == "CONNECT":
            return
        headers = [header for header in self._incoming.headers if header[0] not in _UPGRADE_HEADERS]
        lines = [b"%b %b HTTP/1.1" % (head.method.encode(), self._incoming.url)]
        lines += [b"%b: %b" % header for header in headers]
        self._incoming = IncomingRequest()
        self._parser = httptools.HttpRequestParser(self)
        self.data_received(b"\r\n".join([*lines, b"", b""]) + remainder)

    def _write_data(self, data: bytes) -> None:
        if not self._transport.get_write_buffer_size():
            self._last_activity = monotonic()  # write_seconds starts when data begins to wait.
        if not self._transport.is_closing():
            self._sent_bytes += len(data)
            self._transport.write(data)


def _count_unsent_kernel_bytes(transport: asyncio.Transport) -> int:
    """Return the number of bytes in the socket's send buffer that the client has not acknowledged.

    For a slow client, this can be megabytes. If the system does not report it, the result is 0.
    """
    if fcntl is None or termios is None:
        return 0
    try:
        encoded_size = fcntl.ioctl(
            transport.get_extra_info("socket").fileno(), termios.TIOCOUTQ, bytes(4)
        )
    except OSError:
        return 0
    return int.from_bytes(encoded_size, sys.byteorder)


def _decode_path(url: bytes) -> str:
    if not url.startswith(b"/"):
        try:
            url = httptools.parse_url(url).path or b"/"
        except httptools.HttpParserInvalidURLError:
            return ""
    return url.partition(b"?")[0].decode("latin-1")
