"""One HTTP request and its response: a JSON body, or a stream if there are multiple messages.

The form is chosen as late as possible, because the status depends on the answer and can be sent
only once. Handlers may send messages from any thread, but responses are written on the event loop.
"""

from __future__ import annotations

from _thread import get_ident
from time import monotonic
from typing import TYPE_CHECKING

from paddock.protocol.errors import (
    HEADER_MISMATCH,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    ProtocolError,
    ScopeError,
)
from paddock.protocol.jsonrpc import encode_error
from paddock.transports.http.access_log import LoggedResponder
from paddock.transports.http.messages import JSON_HEADERS, HttpResponse, parse_accept
from paddock.transports.http.sse import EVENT_STREAM_HEADERS, KEEP_ALIVE_COMMENT, encode_event

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.protocol.jsonrpc import RequestId
    from paddock.protocol.request import Request
    from paddock.transports.http.endpoint_runtime import EndpointRuntime
    from paddock.transports.http.messages import Headers, HttpRequest

BUSY_TEXT = "The server is busy: try again later"
RETRY_AFTER_HEADERS: Headers = [(b"retry-after", b"1")]
HTTP_STATUSES = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    METHOD_NOT_FOUND: 404,
    HEADER_MISMATCH: 400,
    MISSING_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
}
"""HTTP statuses of protocol errors. All other errors are sent with status 200."""


class HttpExchange:
    """A stateless request. If the client disconnects, the request is cancelled."""

    __slots__ = (
        "_last_write",
        "_pending_requests",
        "_responder",
        "_runtime",
        "_waiting_since",
        "accepts",
        "error",
        "head",
        "is_over",
        "is_streaming",
        "principal",
    )

    def __init__(self, runtime: EndpointRuntime, http_request: HttpRequest) -> None:
        """Create the exchange for an HTTP request, which sends the answers to its message.

        Args:
            runtime: The state shared by all exchanges of the endpoint.
            http_request: The request, with the responder that sends its response.
        """
        self._runtime = runtime
        self._responder = http_request.responder
        self._pending_requests: tuple[Request, ...] = ()
        self._waiting_since = self._last_write = 0.0
        self.head = http_request.head
        self.principal = http_request.principal
        self.error: ProtocolError | None = None
        self.accepts = parse_accept(self.head.headers.get(b"accept", b""))
        self.is_streaming = False
        self.is_over = False

    def get_header(self, name: str) -> str | None:
        """Return a request header; see `RequestExchange`."""
        return self.head.get_single(name)

    @property
    def accepts_messages(self) -> bool:
        """Whether the client accepts an event stream."""
        return self.accepts.events

    @property
    def session_id(self) -> str | None:
        """None: stateless requests have no session."""
        return None

    @property
    def client_address(self) -> tuple[str, int] | None:
        """The client's address and port."""
        return self._responder.client_address

    def set_log_fields(self, fields: Mapping[str, object]) -> None:
        """Set fields for the access log line, if there is one."""
        if isinstance(self._responder, LoggedResponder):
            self._responder.set_log_fields(fields)

    def send(self, frame: bytes) -> None:
        """Send a message, such as a progress notification, before the answer to the request.

        May be called by any thread.
        """
        if get_ident() == self._runtime.loop_thread_id:
            self._send_on_loop(frame)
        else:
            mailbox = self._runtime.executor.mailbox
            # Block a handler that sends faster than the loop can write. Otherwise its messages
            # would fill up memory.
            mailbox.wait_for_room()
            mailbox.post(self._send_on_loop, frame)

    def finish(self, request: Request, answer: bytes | None) -> None:
        """Send the answer. May be called by any thread."""
        if get_ident() == self._runtime.loop_thread_id:
            self._finish_on_loop(request, answer)
        else:
            self._runtime.executor.mailbox.post(self._finish_on_loop, request, answer)

    def close_for_reconnect(self, retry_ms: int | None) -> bool:
        """Return False: without a session, a client cannot resume a stream."""
        return False

    def keep_open_for(self, request: Request) -> None:
        """Keep the response open for the answer to a request whose work takes time.

        From now on, the exchange is checked for timeouts, and cancels the request if the client
        disconnects.
        """
        # If the request became a task, the task was its answer and the exchange is already over.
        if self.is_over:
            return
        self._pending_requests += (request,)
        self._waiting_since = self._last_write = monotonic()
        self._runtime.active_exchanges.add(self)
        self._attach_disconnect_handler()

    def handle_disconnect(self) -> None:
        """Cancel the pending requests because their client has disconnected.

        Called by the responder. Has no effect if the response is already complete.
        """
        if self.is_over:
            return
        self._mark_over()
        for request in self._pending_requests:
            self._runtime.eras.subscriptions.remove_stream(self, request.id)
            request.cancel("the client disconnected")

    def reject(
        self, status: int, error: ProtocolError, request_id: RequestId | None = None
    ) -> None:
        """Send an error before any work has begun."""
        self.respond(status, encode_error(request_id, error))

    def respond(self, status: int, body: bytes, headers: Headers | None = None) -> None:
        """Send a complete JSON response, which ends the exchange.

        Args:
            status: The HTTP status.
            body: The encoded JSON-RPC message.
            headers: Headers to send in addition to those of every JSON response.
        """
        self._mark_over()
        # Http1Connection recognizes the shared list by identity and takes its fast path, so the
        # list is replaced only if there are headers to add.
        response_headers = JSON_HEADERS
        if headers or b"origin" in self.head.headers:
            cors_headers = self._runtime.origin_policy.make_cors_headers(self.head)
            response_headers = [*JSON_HEADERS, *(headers or ()), *cors_headers]
        self._responder.respond(HttpResponse(status, response_headers, body.rstrip(b"\n")))

    def reject_busy(self, request_id: RequestId | None = None) -> None:
        """Send status 503 with `Retry-After`."""
        error = ProtocolError(BUSY_TEXT, rpc_code=INVALID_REQUEST)
        self.respond(503, encode_error(request_id, error), RETRY_AFTER_HEADERS)

    def respond_accepted(self) -> None:
        """Send status 202 for messages that have no answer."""
        self._mark_over()
        headers = self._runtime.origin_policy.make_cors_headers(self.head)
        self._responder.respond(HttpResponse(202, headers))

    def check_timeout(self, now: float) -> None:
        """Stop an overdue request with an error, or send a keep-alive message on an idle stream.

        Called regularly while requests of this exchange are in progress.

        Args:
            now: The current monotonic time.
        """
        limits = self._runtime.limits
        if self._is_overdue(now):
            self._time_out(limits.call_seconds)
        elif not self.is_over and now - self._last_write >= limits.keep_alive_seconds:
            self._last_write = now
            if self.is_streaming or self._open_stream():
                self._write_chunk(KEEP_ALIVE_COMMENT)

    def close(self) -> None:
        """Cancel the requests and abort the response because the server is stopping."""
        for request in self._pending_requests:
            request.cancel("the server stops")
        if not self.is_over:
            self._mark_over()
            self._responder.abort()

    def _is_overdue(self, now: float) -> bool:
        """Return whether a handler of this exchange has exceeded `Limits.call_seconds`.

        Requests without work, such as subscriptions, may stay open indefinitely, and so may
        requests that wait for a task to end.
        """
        if now - self._waiting_since <= self._runtime.limits.call_seconds:
            return False
        return any(
            (request.work or request.async_work) and not request.has_no_deadline
            for request in self._pending_requests
        )

    def _time_out(self, seconds: float) -> None:
        """Answer all pending requests with a timeout error and cancel their work.

        Args:
            seconds: The time limit that was exceeded, for the error message.
        """
        for request in self._pending_requests:
            # The request is answered before it is cancelled, because a cancelled request gets no
            # answer.
            timeout_error = ProtocolError(
                f"{request.method} took longer than {seconds:g} s and was stopped"
            )
            request.error = timeout_error
            answer: bytes | None = request.era.encode_error_reply(request.id, timeout_error)
            answer_sink, request.answer_sink = request.answer_sink, None
            # A batch member's answer is collected in its sink until all of them are complete.
            if answer_sink is not None:
                answer = answer_sink.add_answer(answer)
            self._finish_on_loop(request, answer)
            request.cancel("the time limit was exceeded")

    def _send_on_loop(self, frame: bytes) -> None:
        if self.is_over or not (self.is_streaming or self._open_stream()):
            return
        self._write_chunk(encode_event(frame))

    def _open_stream(self) -> bool:
        if not self.accepts.events:
            return False
        self.is_streaming = True
        self._responder.open_stream(self._make_stream_headers())
        return True

    def _make_stream_headers(self) -> Headers:
        cors_headers = self._runtime.origin_policy.make_cors_headers(self.head)
        return [*EVENT_STREAM_HEADERS, *cors_headers]

    def _write_chunk(self, chunk: bytes) -> None:
        """Write to the stream, treating a client that reads too slowly as disconnected."""
        self._last_write = monotonic()
        if not self._responder.write(chunk):
            self._responder.abort()
            self.handle_disconnect()

    def _finish_on_loop(self, request: Request, answer: bytes | None) -> None:
        """Send the answer to a request, which completes the response. Called on the loop.

        The answer is an event if the response is a stream, otherwise a JSON body.
        """
        if not self._is_answer_expected(request, answer) or answer is None:
            return
        error = request.error
        status = 200 if error is None else HTTP_STATUSES.get(error.rpc_code, 200)
        # Only a JSON response can have an error status. A client that accepts only events gets a
        # stream, which always has status 200.
        if self.is_streaming or (status == 200 and not self.accepts.json and self._open_stream()):
            self._write_chunk(encode_event(answer))
            if not self.is_over:
                self._mark_over()
                self._responder.end()
        elif isinstance(error, ScopeError):
            self.respond_forbidden(error, answer)
        else:
            self.respond(status, answer)

    def _is_answer_expected(self, request: Request, answer: bytes | None) -> bool:
        """Remove a finished request from the pending ones. Return True if its answer must be sent.

        There is nothing to send if the response is already complete, or if the request was
        cancelled or belongs to a batch in which other requests are still running.
        """
        self._pending_requests = tuple(
            pending for pending in self._pending_requests if pending is not request
        )
        if self.is_over:
            if not self._pending_requests:
                self._runtime.active_exchanges.discard(self)
            return False
        if answer is None:
            if not self._pending_requests:
                self._end_unanswered()
            return False
        return True

    def _end_unanswered(self) -> None:
        """Complete the response to cancelled requests so that the client stops waiting.

        Clients that accept events get an empty stream; others get status 202.
        """
        if self.is_streaming:
            self._mark_over()
            self._responder.end()
        elif self.accepts.events:
            self._mark_over()
            self._responder.open_stream(self._make_stream_headers())
            self._responder.end()
        else:
            self.respond_accepted()

    def respond_forbidden(self, error: ScopeError, answer: bytes) -> None:
        """Send status 403 with the missing scopes."""
        self.respond(403, answer, self._runtime.make_challenge_headers(error, self.principal))

    def _mark_over(self) -> None:
        self.is_over = True
        self._runtime.active_exchanges.discard(self)
        self._detach_disconnect_handler()

    def _attach_disconnect_handler(self) -> None:
        self._responder.on_close = self.handle_disconnect

    def _detach_disconnect_handler(self) -> None:
        # Once the client has been released, the connection may already serve another exchange.
        if self._responder.on_close == self.handle_disconnect:
            self._responder.on_close = None
