"""One HTTP request and its answer: as JSON, or as a stream once there is more than one message.

Which of the two it becomes is decided as late as possible, because a status can be given only
once. Handlers may speak from any thread; everything is done on the event loop.
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
from paddock.protocol.jsonrpc import error_frame
from paddock.transports.http.access import Logged
from paddock.transports.http.contract import USUAL_HEADERS, Response
from paddock.transports.http.events import KEEP_ALIVE, STREAM_HEADERS, event
from paddock.transports.http.media import accepts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.protocol.jsonrpc import RequestId
    from paddock.protocol.principal import Principal
    from paddock.protocol.request import Request
    from paddock.transports.http.contract import Head, Headers, Outgoing
    from paddock.transports.http.hub import Hub

BUSY = "The server is busy: try again later"
RETRY_AFTER: Headers = [(b"retry-after", b"1")]
STATUSES = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    METHOD_NOT_FOUND: 404,
    HEADER_MISMATCH: 400,
    MISSING_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
}
"""What HTTP says to faults of the protocol; all others are answers like any other."""


class Exchange:
    """A request whose answer ends with it: the client's leaving is its cancellation."""

    __slots__ = (
        "_awaited",
        "_hub",
        "_last_sign",
        "_outgoing",
        "_since",
        "accepts",
        "fault",
        "head",
        "is_over",
        "is_streaming",
        "principal",
    )

    def __init__(self, hub: Hub, head: Head, outgoing: Outgoing) -> None:
        self._hub = hub
        self._outgoing = outgoing
        self._awaited: tuple[Request, ...] = ()
        self._since = self._last_sign = 0.0
        self.head = head
        self.principal: Principal | None = None
        self.fault: ProtocolError | None = None
        self.accepts = accepts(head.headers.get(b"accept", b""))
        self.is_streaming = False
        self.is_over = False

    def header(self, name: str) -> str | None:
        """A header of the request; see `protocol.request.Exchange`."""
        return self.head.single(name)

    @property
    def takes_messages(self) -> bool:
        """Whether the client reads a stream."""
        return self.accepts.events

    @property
    def session_id(self) -> str | None:
        """None: a request that stands alone belongs to no session."""
        return None

    @property
    def client(self) -> tuple[str, int] | None:
        """The address and port that the request came from."""
        return self._outgoing.client

    def note(self, fields: Mapping[str, object]) -> None:
        """What the log is to say about the request, if it says anything."""
        if isinstance(self._outgoing, Logged):
            self._outgoing.note(fields)

    def send(self, frame: bytes) -> None:
        """Send a message that comes before the answer. May be called by any thread."""
        if get_ident() == self._hub.thread:
            self._send(frame)
        else:
            mailbox = self._hub.runner.mailbox
            mailbox.wait_for_room()
            mailbox.post(self._send, frame)

    def finish(self, request: Request, answer: bytes | None) -> None:
        """Send the answer. May be called by any thread."""
        if get_ident() == self._hub.thread:
            self._finish(request, answer)
        else:
            self._hub.runner.mailbox.post(self._finish, request, answer)

    def let_go(self, retry_ms: int | None) -> bool:
        """A client without a session has nothing to come back with."""
        return False

    def wait_for(self, request: Request) -> None:
        """The answer will come later; until then the client may leave."""
        if self.is_over:  # a task has been answered already
            return
        self._awaited += (request,)
        self._since = self._last_sign = monotonic()
        self._hub.active.add(self)
        self._hook()

    def leave(self) -> None:
        """The client is gone: nobody needs the answer any more."""
        if self.is_over:
            return
        self._end()
        for request in self._awaited:
            self._hub.eras.listeners.drop(self, request.id)
            request.cancel("the client has left")

    def refuse(
        self, status: int, error: ProtocolError, request_id: RequestId | None = None
    ) -> None:
        """Answer with a fault before any work has begun."""
        self.respond(status, error_frame(request_id, error))

    def respond(self, status: int, body: bytes, headers: Headers | None = None) -> None:
        """Give a whole answer as JSON."""
        self._end()
        all_headers = USUAL_HEADERS
        if headers or b"origin" in self.head.headers:
            cors = self._hub.guard.cors_headers(self.head)
            all_headers = [*USUAL_HEADERS, *(headers or ()), *cors]
        self._outgoing.respond(Response(status, all_headers, body.rstrip(b"\n")))

    def refuse_busy(self, request_id: RequestId | None = None) -> None:
        """Too much is under way already: the client is told to come back."""
        busy = ProtocolError(BUSY, rpc_code=INVALID_REQUEST)
        self.respond(503, error_frame(request_id, busy), RETRY_AFTER)

    def accept(self) -> None:
        """Answer a message to which there is nothing to say."""
        self._end()
        headers = self._hub.guard.cors_headers(self.head)
        self._outgoing.respond(Response(202, headers))

    def check(self, now: float) -> None:
        """Called now and then while the answer is awaited: give a sign of life, or give up."""
        limits = self._hub.limits
        if self._is_late(now):
            self._give_up(limits.call_seconds)
        elif not self.is_over and now - self._last_sign >= limits.keep_alive_seconds:
            self._last_sign = now
            if self.is_streaming or self._open():
                self._write(KEEP_ALIVE)

    def close(self) -> None:
        """The server ends: break off what has not been answered."""
        for request in self._awaited:
            request.cancel("the server ends")
        if not self.is_over:
            self._end()
            self._outgoing.abort()

    def _is_late(self, now: float) -> bool:
        """Whether work takes too long; a stream that only listens may go on."""
        if now - self._since <= self._hub.limits.call_seconds:
            return False
        hurried = (request for request in self._awaited if not request.is_unhurried)
        return any(request.work or request.async_work for request in hurried)

    def _give_up(self, seconds: float) -> None:
        """Stop the work, and say so."""
        for request in self._awaited:
            late = ProtocolError(f"{request.method} took longer than {seconds:g} s and was stopped")
            request.fault = late
            answer: bytes | None = request.era.error(request.id, late)
            batch, request.outlet = request.outlet, None
            self._finish(request, answer if batch is None else batch.add(answer))
            request.cancel("it took too long")

    def _send(self, frame: bytes) -> None:
        if self.is_over or not (self.is_streaming or self._open()):
            return
        self._write(event(frame))

    def _open(self) -> bool:
        if not self.accepts.events:
            return False
        self.is_streaming = True
        self._outgoing.open_stream([*STREAM_HEADERS, *self._stream_headers()])
        return True

    def _stream_headers(self) -> Headers:
        return self._hub.guard.cors_headers(self.head)

    def _write(self, chunk: bytes) -> None:
        self._last_sign = monotonic()
        if not self._outgoing.write(chunk):
            self._outgoing.abort()
            self.leave()

    def _finish(self, request: Request, answer: bytes | None) -> None:
        if not self._is_awaited(request, answer) or answer is None:
            return
        fault = request.fault
        status = 200 if fault is None else STATUSES.get(fault.rpc_code, 200)
        if self.is_streaming or (status == 200 and not self.accepts.json and self._open()):
            self._write(event(answer))
            if not self.is_over:
                self._end()
                self._outgoing.end()
        elif isinstance(fault, ScopeError):
            self.forbid(fault, answer)
        else:
            self.respond(status, answer)

    def _is_awaited(self, request: Request, answer: bytes | None) -> bool:
        """Whether somebody is there for an answer, and there is one."""
        self._awaited = tuple(other for other in self._awaited if other is not request)
        if self.is_over:
            if not self._awaited:
                self._hub.active.discard(self)
            return False
        if answer is None:  # it was cancelled, or it is part of a batch of which more is to come
            if not self._awaited:
                self._end_unanswered()
            return False
        return True

    def _end_unanswered(self) -> None:
        """Nothing will be said any more, which a client that waits has to be told."""
        if self.is_streaming:
            self._end()
            self._outgoing.end()
        elif self.accepts.events:
            self._end()
            self._outgoing.open_stream([*STREAM_HEADERS, *self._stream_headers()])
            self._outgoing.end()
        else:
            self.accept()

    def forbid(self, fault: ScopeError, answer: bytes) -> None:
        """Answer whoever lacks scopes, saying which."""
        self.respond(403, answer, self._hub.challenge(fault, self.principal))

    def _end(self) -> None:
        self.is_over = True
        self._hub.active.discard(self)
        self._unhook()

    def _hook(self) -> None:
        """Be told when the client leaves."""
        self._outgoing.on_close = self.leave

    def _unhook(self) -> None:
        """The client's leaving does not concern us any more."""
        # A client that was let go may by now use the connection for something else.
        if self._outgoing.on_close == self.leave:
            self._outgoing.on_close = None
