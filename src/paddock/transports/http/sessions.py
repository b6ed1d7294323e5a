"""Sessions of the 2025-11-25 era over HTTP: many at once, each with streams that can be resumed.

A session belongs to whoever opened it. It ends when its client says so, when nobody has used it
for a while, or when there are too many and it is the one that has been idle longest.
"""

from __future__ import annotations

from secrets import token_urlsafe
from time import monotonic
from typing import TYPE_CHECKING

from paddock.protocol.connection import Connection
from paddock.protocol.dispatch import Dispatcher
from paddock.protocol.errors import ScopeError
from paddock.protocol.versions import supports
from paddock.transports.http.events import (
    KEEP_ALIVE,
    EventStore,
    numbered_event,
    priming_event,
)
from paddock.transports.http.exchange import Exchange

if TYPE_CHECKING:
    from paddock.protocol.principal import Principal
    from paddock.protocol.request import Request
    from paddock.transports.http.contract import Head, Headers, Outgoing
    from paddock.transports.http.hub import Hub

RETRY_MS = 1000
"""After how long a client whose stream broke is asked to come back."""
STANDALONE = 0
"""The stream of what belongs to no request."""
MAX_STANDALONE = 8


class Stream:
    """Events of a session, to whoever reads them now and for whoever comes back."""

    __slots__ = ("_outgoing", "_session", "_written", "id", "is_over", "number")

    def __init__(self, session: Session, stream_id: int) -> None:
        self._session = session
        self._outgoing: list[Outgoing] = []
        self._written = 0.0
        self.id = stream_id
        self.number = 0
        self.is_over = False

    @property
    def has_reader(self) -> bool:
        """Whether somebody reads it now."""
        return bool(self._outgoing)

    def add(self, frame: bytes) -> None:
        """Send an event, and keep it for a reader who comes back."""
        self.number += 1
        self._session.events.add(self.id, self.number, frame)
        self._write(numbered_event(self._event_id(self.number), frame))

    def prime(self, retry_ms: int) -> None:
        """Give the reader an id to come back with."""
        self._write(priming_event(self._event_id(self.number), retry_ms))

    def attach(self, outgoing: Outgoing) -> None:
        """Send what comes to this reader, who may leave again."""
        self._outgoing.append(outgoing)
        outgoing.on_close = lambda: self.detach(outgoing)

    def detach(self, outgoing: Outgoing) -> None:
        """A reader is gone; what comes is kept."""
        if outgoing in self._outgoing:
            self._outgoing.remove(outgoing)
        self._session.touch()

    def replay(self, outgoing: Outgoing, after: int) -> None:
        """Send a reader who has come back what came since."""
        for kept in self._session.events.after(self.id, after):
            if not outgoing.write(numbered_event(self._event_id(kept.number), kept.frame)):
                outgoing.abort()
                return

    def release(self) -> None:
        """Send the readers away; the stream goes on without them."""
        readers, self._outgoing = self._outgoing, []
        for outgoing in readers:
            outgoing.on_close = None
            outgoing.end()

    def end(self) -> None:
        """Nothing more will come."""
        self.is_over = True
        self.release()

    def abort(self) -> None:
        """Break off."""
        readers, self._outgoing = self._outgoing, []
        for outgoing in readers:
            outgoing.on_close = None
            outgoing.abort()

    def keep_alive(self, now: float, interval: float) -> None:
        """Give readers a sign of life, where nothing else was said."""
        if now - self._written >= interval:
            for outgoing in list(self._outgoing):
                self._write_to(outgoing, KEEP_ALIVE)

    def _event_id(self, number: int) -> str:
        return f"{self.id}_{number}"

    def _write(self, chunk: bytes) -> None:
        # A message goes to one reader only: to the one who came last.
        if self._outgoing:
            self._write_to(self._outgoing[-1], chunk)

    def _write_to(self, outgoing: Outgoing, chunk: bytes) -> None:
        self._written = monotonic()
        if not outgoing.write(chunk):
            self.detach(outgoing)
            outgoing.on_close = None
            outgoing.abort()


class Session:
    """One client's session."""

    __slots__ = (
        "_hub",
        "connection",
        "dispatcher",
        "events",
        "id",
        "next_stream",
        "owner",
        "standalone",
        "streams",
        "used",
    )

    def __init__(self, hub: Hub, principal: Principal | None) -> None:
        self._hub = hub
        self.id = token_urlsafe(24)
        self.owner = None if principal is None else principal.key
        self.connection = Connection(self.send)
        self.connection.state = hub.state
        self.dispatcher = Dispatcher(self.connection, hub.eras, is_ready=True)
        self.events = EventStore(hub.limits.events, hub.limits.event_bytes, hub.events)
        self.standalone = Stream(self, STANDALONE)
        self.streams: dict[int, Stream] = {}
        self.next_stream = STANDALONE
        self.used = monotonic()

    @property
    def is_busy(self) -> bool:
        """Whether somebody reads a stream of it, or waits for an answer."""
        streams = (self.standalone, *self.streams.values())
        return bool(self.connection.in_flight) or any(stream.has_reader for stream in streams)

    @property
    def has_priming(self) -> bool:
        """Whether the client's version knows events that carry only an id."""
        return supports(self.connection.version or "", "sse-priming")

    def touch(self) -> None:
        """Somebody uses the session."""
        self.used = monotonic()

    def send(self, frame: bytes) -> None:
        """Send what belongs to no request. May be called by any thread."""
        self._hub.post(self.standalone.add, frame)

    def open_stream(self) -> Stream:
        """A stream for the messages that belong to one request."""
        self.next_stream += 1
        stream = self.streams[self.next_stream] = Stream(self, self.next_stream)
        return stream

    def resume(self, last_event_id: str, outgoing: Outgoing, headers: Headers) -> bool:
        """Go on with a stream after an event; False when the id was never given out."""
        stream_id, _, number = last_event_id.partition("_")
        if not (stream_id.isdecimal() and number.isdecimal() and len(last_event_id) < 40):
            return False
        found = int(stream_id)
        if found > self.next_stream:
            return False
        stream = self.standalone if found == STANDALONE else self.streams.get(found)
        outgoing.open_stream(headers)
        reader = stream or Stream(self, found)
        reader.replay(outgoing, int(number))
        if stream is None:
            outgoing.end()
        else:
            stream.attach(outgoing)
        return True

    def listen(self, outgoing: Outgoing, headers: Headers) -> bool:
        """Open a stream for what belongs to no request; False when there are too many."""
        if len(self.standalone._outgoing) >= MAX_STANDALONE:  # noqa: SLF001 - of this module
            return False
        outgoing.open_stream(headers)
        self.standalone.attach(outgoing)
        if self.has_priming:
            self.standalone.prime(RETRY_MS)
        return True

    def close(self) -> None:
        """End it: stop what is under way, send the readers away."""
        self.connection.close()
        self._hub.operations.tasks.abandon(self.connection)
        for stream in (self.standalone, *self.streams.values()):
            stream.end()
        self.events.clear()


class SessionExchange(Exchange):
    """A request in a session: the client may leave and come back for the answer."""

    __slots__ = ("_session", "_stream")

    def __init__(self, hub: Hub, head: Head, outgoing: Outgoing, session: Session) -> None:
        super().__init__(hub, head, outgoing)
        self._session = session
        self._stream: Stream | None = None

    @property
    def session_id(self) -> str | None:
        """The id of the session."""
        return self._session.id

    @property
    def takes_messages(self) -> bool:
        """Whether the client reads the stream of this request, or the one of the session."""
        return self.accepts.events or self._session.standalone.has_reader

    def wait_for(self, request: Request) -> None:
        """The answer will come later; see `Exchange`."""
        if self.is_over:
            return
        super().wait_for(request)
        self._session.connection.in_flight[request.id] = request

    def leave(self) -> None:
        """The client is gone, which cancels nothing; without a stream it cannot come back."""
        if not self.is_streaming:
            self.is_over = True  # but the work goes on, and counts, for no longer than it may
            self._unhook()

    def close(self) -> None:
        """The server ends; see `Exchange`."""
        if self._stream is None:
            super().close()
            return
        for request in self._awaited:
            request.cancel("the server ends")
        self._end()
        self._stream.abort()

    def let_go(self, retry_ms: int | None) -> bool:
        """Have the client come back for the answer, where its version knows how."""
        if not self._session.has_priming or not self.accepts.events or self.is_over:
            return False
        self._hub.post(self._let_go, RETRY_MS if retry_ms is None else retry_ms)
        return True

    def check(self, now: float) -> None:
        """Called now and then while the answer is awaited."""
        if self._stream is None:
            super().check(now)
        elif self._is_late(now):
            self._give_up(self._hub.limits.call_seconds)
        else:
            self._stream.keep_alive(now, self._hub.limits.keep_alive_seconds)

    def _let_go(self, retry_ms: int) -> None:
        if self.is_over or not (self.is_streaming or self._open()) or self._stream is None:
            return
        self._stream.prime(retry_ms)
        self._stream.release()

    def _send(self, frame: bytes) -> None:
        if self.is_over:
            return
        if (self.is_streaming or self._open()) and self._stream is not None:
            self._stream.add(frame)
        elif self._session.standalone.has_reader:
            self._session.standalone.add(frame)

    def _open(self) -> bool:
        if not super()._open():
            return False
        self._stream = self._session.open_stream()
        self._stream.attach(self._outgoing)
        if self._session.has_priming:
            self._stream.prime(RETRY_MS)
        return True

    def _stream_headers(self) -> Headers:
        return [*super()._stream_headers(), (b"mcp-session-id", self._session.id.encode())]

    def _finish(self, request: Request, answer: bytes | None) -> None:
        in_flight = self._session.connection.in_flight
        if in_flight.get(request.id) is request:  # a client may use an id twice
            del in_flight[request.id]
        self._session.touch()
        if self._is_awaited(request, answer):
            self.deliver(answer)

    def _hook(self) -> None:
        if self._stream is None:  # else the stream is told, or has let the client go
            super()._hook()

    def _end_unanswered(self) -> None:
        if self._stream is not None:
            self.deliver(None)
        else:
            super()._end_unanswered()

    def deliver(self, answer: bytes | None) -> None:
        """Give the answer in the form that the client likes best; none if it was cancelled."""
        stream = self._stream
        if stream is not None:
            if answer is not None:
                stream.add(answer)
            self._end()
            self._session.streams.pop(stream.id, None)
            stream.end()
        elif self.is_over:
            return
        elif answer is None:
            self.accept()
        elif isinstance(self.fault, ScopeError):
            self.forbid(self.fault, answer)
        elif self.accepts.prefers_events and self._open():
            self.deliver(answer)
        else:
            self.respond(200, answer)


class Sessions:
    """All open sessions."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._open: dict[str, Session] = {}

    def __len__(self) -> int:
        return len(self._open)

    def all(self) -> list[Session]:
        """The open sessions."""
        return list(self._open.values())

    def get(self, session_id: str, principal: Principal | None) -> Session | None:
        """An open session of this client's; those of others do not exist for it."""
        session = self._open.get(session_id)
        owner = None if principal is None else principal.key
        if session is None or session.owner != owner:
            return None
        # The order of the table is the order of use, for finding who has been idle longest.
        del self._open[session_id]
        self._open[session_id] = session
        session.touch()
        return session

    def make_room(self, principal: Principal | None) -> bool:
        """End the session that has been idle longest if there are too many; False if none is.

        Whoever opens sessions loses theirs first.
        """
        if len(self._open) < self._hub.limits.sessions:
            return True
        owner = None if principal is None else principal.key
        idle = [session for session in self._open.values() if not session.is_busy]
        own = [session for session in idle if session.owner == owner]
        for session in (*own, *idle)[:1]:
            self.close(session)
        return bool(idle)

    def add(self, session: Session) -> None:
        """A session has been opened."""
        self._open[session.id] = session

    def close(self, session: Session) -> None:
        """A session ends."""
        self._open.pop(session.id, None)
        session.close()

    def sweep(self, now: float) -> None:
        """End what nobody has used for too long; keep the readers of the rest awake."""
        limits = self._hub.limits
        for session in list(self._open.values()):
            session.standalone.keep_alive(now, limits.keep_alive_seconds)
            if now - session.used > limits.session_idle_seconds and not session.is_busy:
                self.close(session)
