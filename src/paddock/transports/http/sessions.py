"""HTTP sessions of the 2025-11-25 era, with resumable streams.

A session belongs to the principal who opened it. It ends when its client deletes it or when it has
been idle for too long. If there are too many sessions, the one that has been idle longest is
closed.
"""

from __future__ import annotations

from secrets import token_urlsafe
from time import monotonic
from typing import TYPE_CHECKING

from paddock.protocol.connection import ServerConnection
from paddock.protocol.dispatcher import Dispatcher
from paddock.protocol.errors import ScopeError
from paddock.protocol.versions import supports_feature
from paddock.transports.http.exchange import HttpExchange
from paddock.transports.http.messages import SESSION_ID_FIELD
from paddock.transports.http.sse import (
    KEEP_ALIVE_COMMENT,
    EventStore,
    encode_numbered_event,
    encode_priming_event,
)

if TYPE_CHECKING:
    from paddock.protocol.principal import Principal
    from paddock.protocol.request import Request
    from paddock.transports.http.endpoint_runtime import EndpointRuntime
    from paddock.transports.http.messages import Headers, HttpRequest, Responder

RECONNECT_DELAY_MS = 1000
"""Delay before clients should reconnect after a stream breaks."""
STANDALONE_STREAM_ID = 0
"""The ID of the stream for messages that do not belong to a request."""
MAX_STANDALONE_READERS = 8


class ResumableStream:
    """A stream of numbered events that a client can resume after losing its connection.

    The events are kept in the session's `EventStore`. A stream can exist without a reader.
    """

    __slots__ = ("_last_write", "_readers", "_session", "id", "is_over", "last_event_number")

    def __init__(self, session: HttpSession, stream_id: int) -> None:
        self._session = session
        self._readers: list[Responder] = []
        self._last_write = 0.0
        self.id = stream_id
        self.last_event_number = 0
        self.is_over = False

    @property
    def reader_count(self) -> int:
        """The number of clients that are reading the stream."""
        return len(self._readers)

    @property
    def has_reader(self) -> bool:
        """Whether a client is reading the stream."""
        return bool(self._readers)

    def add_event(self, frame: bytes) -> None:
        """Send an event and store it for reconnecting clients."""
        self.last_event_number += 1
        self._session.events.add(self.id, self.last_event_number, frame)
        self._write_to_latest_reader(
            encode_numbered_event(self._format_event_id(self.last_event_number), frame)
        )

    def send_priming_event(self, retry_ms: int) -> None:
        """Send an event that provides the client with an id for reconnecting."""
        self._write_to_latest_reader(
            encode_priming_event(self._format_event_id(self.last_event_number), retry_ms)
        )

    def attach_reader(self, responder: Responder) -> None:
        """Send subsequent events to this reader."""
        self._readers.append(responder)
        responder.on_close = lambda: self.detach_reader(responder)

    def detach_reader(self, responder: Responder) -> None:
        """Remove a reader that has disconnected. Events continue to be stored."""
        if responder in self._readers:
            self._readers.remove(responder)
        self._session.mark_used()

    def replay_events(self, responder: Responder, event_number: int) -> None:
        """Send a reconnected reader the events after the given number."""
        for event in self._session.events.list_after(self.id, event_number):
            event_id = self._format_event_id(event.number)
            if not responder.write(encode_numbered_event(event_id, event.frame)):
                responder.abort()
                return

    def release_readers(self) -> None:
        """End the responses of all readers. The stream stays open without them."""
        for responder in self._take_readers():
            responder.end()

    def end(self) -> None:
        """End the stream."""
        self.is_over = True
        self.release_readers()

    def abort(self) -> None:
        """Abort the responses of all readers."""
        for responder in self._take_readers():
            responder.abort()

    def send_keep_alive(self, now: float, interval: float) -> None:
        """Send a keep-alive comment if nothing has been sent for `interval` seconds."""
        if now - self._last_write >= interval:
            for responder in list(self._readers):
                self._write_to_reader(responder, KEEP_ALIVE_COMMENT)

    def _take_readers(self) -> list[Responder]:
        """Detach all readers from the stream and return them."""
        readers, self._readers = self._readers, []
        for responder in readers:
            responder.on_close = None
        return readers

    def _format_event_id(self, event_number: int) -> str:
        return f"{self.id}_{event_number}"

    def _write_to_latest_reader(self, chunk: bytes) -> None:
        # A message must not be sent on multiple streams (2025-11-25, Transports, Multiple
        # Connections), so only the latest reader gets it.
        if self._readers:
            self._write_to_reader(self._readers[-1], chunk)

    def _write_to_reader(self, responder: Responder, chunk: bytes) -> None:
        self._last_write = monotonic()
        if not responder.write(chunk):  # Too slow: the client can reconnect for stored events only.
            self.detach_reader(responder)
            responder.on_close = None
            responder.abort()


class HttpSession:
    """One client's session."""

    __slots__ = (
        "_runtime",
        "connection",
        "dispatcher",
        "events",
        "id",
        "last_stream_id",
        "last_used",
        "owner",
        "standalone_stream",
        "streams",
    )

    def __init__(self, runtime: EndpointRuntime, principal: Principal | None) -> None:
        """Create a session with a random ID for a client that sends `initialize`.

        Args:
            runtime: The state shared by all sessions of the endpoint.
            principal: The authenticated client that owns the session; None for a server without
                authentication.
        """
        self._runtime = runtime
        self.id = token_urlsafe(24)
        self.owner = None if principal is None else principal.key
        self.connection = ServerConnection(self.send)
        self.connection.state = runtime.state
        self.dispatcher = Dispatcher(self.connection, runtime.eras, is_ready=True)
        self.events = EventStore(
            runtime.limits.events, runtime.limits.event_bytes, runtime.event_budget
        )
        self.standalone_stream = ResumableStream(self, STANDALONE_STREAM_ID)
        self.streams: dict[int, ResumableStream] = {}
        self.last_stream_id = STANDALONE_STREAM_ID
        self.last_used = monotonic()

    @property
    def is_busy(self) -> bool:
        """Whether a client is reading one of the session's streams or waiting for an answer."""
        streams = (self.standalone_stream, *self.streams.values())
        return bool(self.connection.in_flight) or any(stream.has_reader for stream in streams)

    @property
    def supports_priming(self) -> bool:
        """Whether the client's version allows events that carry only an id."""
        return supports_feature(self.connection.version or "", "sse-priming")

    def mark_used(self) -> None:
        """Reset the idle time."""
        self.last_used = monotonic()

    def send(self, frame: bytes) -> None:
        """Send a message that does not belong to a request. May be called by any thread."""
        self._runtime.call_on_loop(self.standalone_stream.add_event, frame)

    def open_stream(self) -> ResumableStream:
        """Open a stream for the messages of one request."""
        self.last_stream_id += 1
        stream = self.streams[self.last_stream_id] = ResumableStream(self, self.last_stream_id)
        return stream

    def resume_stream(self, last_event_id: str, responder: Responder, headers: Headers) -> bool:
        """Open a response that continues an event stream for a reconnected client.

        Args:
            last_event_id: The ID of the last event that the client received, such as `3_17`: stream
                number and event number.
            responder: The client's connection.
            headers: The response headers.

        Returns:
            False if the session never issued this id.
        """
        stream_id, _, event_number = last_event_id.partition("_")
        # The length is limited because int() raises an error for thousands of digits.
        if not (stream_id.isdecimal() and event_number.isdecimal() and len(last_event_id) < 40):
            return False
        stream_number = int(stream_id)
        if stream_number > self.last_stream_id:
            return False
        is_standalone = stream_number == STANDALONE_STREAM_ID
        stream = self.standalone_stream if is_standalone else self.streams.get(stream_number)
        responder.open_stream(headers)
        resumed_stream = stream or ResumableStream(self, stream_number)
        resumed_stream.replay_events(responder, int(event_number))
        if stream is None:  # The stream has ended, so no events follow the stored ones.
            responder.end()
        else:
            stream.attach_reader(responder)
        return True

    def attach_standalone_reader(self, responder: Responder, headers: Headers) -> bool:
        """Open the session's standalone stream for another reader.

        This stream carries the messages that do not belong to a request.

        Returns:
            False if the stream already has too many readers.
        """
        if self.standalone_stream.reader_count >= MAX_STANDALONE_READERS:
            return False
        responder.open_stream(headers)
        self.standalone_stream.attach_reader(responder)
        if self.supports_priming:
            self.standalone_stream.send_priming_event(RECONNECT_DELAY_MS)
        return True

    def close(self) -> None:
        """Cancel the requests and end all streams."""
        self.connection.close()
        self._runtime.operations.tasks.abandon_owner(self.connection)
        for stream in (self.standalone_stream, *self.streams.values()):
            stream.end()
        self.events.clear()


class HttpSessionExchange(HttpExchange):
    """A request in a session. Its client may disconnect, then reconnect to get the answer."""

    __slots__ = ("_session", "_stream")

    def __init__(
        self, runtime: EndpointRuntime, http_request: HttpRequest, session: HttpSession
    ) -> None:
        super().__init__(runtime, http_request)
        self._session = session
        self._stream: ResumableStream | None = None

    @property
    def session_id(self) -> str | None:
        """The id of the session."""
        return self._session.id

    @property
    def accepts_messages(self) -> bool:
        """Whether the client is reading this request's stream or the session's stream."""
        return self.accepts.events or self._session.standalone_stream.has_reader

    def keep_open_for(self, request: Request) -> None:
        """Keep the response open for the answer to a request."""
        if self.is_over:
            return
        super().keep_open_for(request)
        self._session.connection.in_flight[request.id] = request

    def handle_disconnect(self) -> None:
        """Handle a lost connection. Unlike in stateless MCP versions, the work is not cancelled.

        A client can reconnect to resume a stream, but not a JSON response. Without a stream, the
        exchange is therefore over.
        """
        if not self.is_streaming:
            self.is_over = True  # The work continues, and the exchange stays active for timeouts.
            self._detach_disconnect_handler()

    def close(self) -> None:
        """Cancel the requests and abort the response because the server is stopping."""
        if self._stream is None:
            super().close()
            return
        for request in self._pending_requests:
            request.cancel("the server stops")
        self._mark_over()
        self._stream.abort()

    def close_for_reconnect(self, retry_ms: int | None) -> bool:
        """Close the response so that the client reconnects later to get the answer.

        Args:
            retry_ms: The delay before the client reconnects; None means the default.

        Returns:
            False if the client's MCP version does not support that, or the exchange is over.
        """
        if not self._session.supports_priming or not self.accepts.events or self.is_over:
            return False
        self._runtime.call_on_loop(
            self._close_for_reconnect_on_loop, RECONNECT_DELAY_MS if retry_ms is None else retry_ms
        )
        return True

    def check_timeout(self, now: float) -> None:
        """Stop an overdue request with an error, or send a keep-alive message on an idle stream."""
        if self._stream is None:
            super().check_timeout(now)
        elif self._is_overdue(now):
            self._time_out(self._runtime.limits.call_seconds)
        else:
            self._stream.send_keep_alive(now, self._runtime.limits.keep_alive_seconds)

    def _close_for_reconnect_on_loop(self, retry_ms: int) -> None:
        """Send the client an event id and a delay for reconnecting, and end its response."""
        if self.is_over or not (self.is_streaming or self._open_stream()) or self._stream is None:
            return
        self._stream.send_priming_event(retry_ms)
        self._stream.release_readers()

    def _send_on_loop(self, frame: bytes) -> None:
        """Send a message on the request's stream or, failing that, on the session's stream.

        If the client is reading neither, the message is dropped. Called on the event loop.
        """
        if self.is_over:
            return
        if (self.is_streaming or self._open_stream()) and self._stream is not None:
            self._stream.add_event(frame)
        elif self._session.standalone_stream.has_reader:
            self._session.standalone_stream.add_event(frame)

    def _open_stream(self) -> bool:
        """Begin the response as an event stream that the client can resume.

        Returns:
            False if the response cannot be a stream.
        """
        if not super()._open_stream():
            return False
        self._stream = self._session.open_stream()
        self._stream.attach_reader(self._responder)
        if self._session.supports_priming:
            self._stream.send_priming_event(RECONNECT_DELAY_MS)
        return True

    def _make_stream_headers(self) -> Headers:
        return [*super()._make_stream_headers(), (SESSION_ID_FIELD, self._session.id.encode())]

    def _finish_on_loop(self, request: Request, answer: bytes | None) -> None:
        in_flight = self._session.connection.in_flight
        if in_flight.get(request.id) is request:  # A client may have reused the id.
            del in_flight[request.id]
        self._session.mark_used()
        if self._is_answer_expected(request, answer):
            self.deliver_answer(answer)

    def _attach_disconnect_handler(self) -> None:
        if self._stream is None:  # Otherwise, the stream handles the disconnect.
            super()._attach_disconnect_handler()

    def _end_unanswered(self) -> None:
        if self._stream is not None:
            self.deliver_answer(None)
        else:
            super()._end_unanswered()

    def deliver_answer(self, answer: bytes | None) -> None:
        """Complete the response with an answer, sent as an event or JSON as the client prefers.

        Args:
            answer: The encoded answer. None if the request was cancelled.
        """
        stream = self._stream
        if stream is not None:
            # The answer is also stored, so that a disconnected client can fetch it later.
            if answer is not None:
                stream.add_event(answer)
            self._mark_over()
            self._session.streams.pop(stream.id, None)
            stream.end()
        elif self.is_over:
            return
        elif answer is None:
            self.respond_accepted()
        elif isinstance(self.error, ScopeError):
            self.respond_forbidden(self.error, answer)
        elif self.accepts.prefers_events and self._open_stream():
            self.deliver_answer(answer)
        else:
            self.respond(200, answer)


class HttpSessionStore:
    """All open sessions."""

    def __init__(self, runtime: EndpointRuntime) -> None:
        self._runtime = runtime
        self._sessions: dict[str, HttpSession] = {}

    def __len__(self) -> int:
        return len(self._sessions)

    def list_sessions(self) -> list[HttpSession]:
        """List the open sessions."""
        return list(self._sessions.values())

    def find_session(self, session_id: str, principal: Principal | None) -> HttpSession | None:
        """Return the session with the given ID if it belongs to the principal, otherwise None.

        This counts as using the session, so that it is not closed as idle.
        """
        session = self._sessions.get(session_id)
        owner = None if principal is None else principal.key
        if session is None or session.owner != owner:
            return None
        # Reinserting keeps the dict in order of last use, so that make_room finds the idlest
        # session.
        del self._sessions[session_id]
        self._sessions[session_id] = session
        session.mark_used()
        return session

    def make_room(self, principal: Principal | None) -> bool:
        """Ensure that a session can be added, closing an idle one if necessary.

        An idle session of the same principal is preferred, so that one client cannot displace the
        sessions of all others.

        Returns:
            False if the limit is reached and no session is idle.
        """
        if len(self._sessions) < self._runtime.limits.sessions:
            return True
        owner = None if principal is None else principal.key
        idle_sessions = [session for session in self._sessions.values() if not session.is_busy]
        own_sessions = [session for session in idle_sessions if session.owner == owner]
        if not idle_sessions:
            return False
        self.close_session((own_sessions or idle_sessions)[0])
        return True

    def add_session(self, session: HttpSession) -> None:
        """Add a session."""
        self._sessions[session.id] = session

    def close_session(self, session: HttpSession) -> None:
        """Close and remove a session."""
        self._sessions.pop(session.id, None)
        session.close()

    def close_idle_sessions(self, now: float) -> None:
        """Close sessions that have been idle for too long, and send keep-alives in the others."""
        limits = self._runtime.limits
        for session in list(self._sessions.values()):
            session.standalone_stream.send_keep_alive(now, limits.keep_alive_seconds)
            if now - session.last_used > limits.session_idle_seconds and not session.is_busy:
                self.close_session(session)
