"""A zoo's event stream over HTTP: server-sent events from every process.

One thread waits for database events while there are listeners. Readers that are too slow are
disconnected; the browser then reconnects with the ID of its last event and receives the events it
missed.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from threading import Event as Flag
from typing import TYPE_CHECKING, Annotated, Protocol

import msgspec
from litestar import get
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import HeaderParameter
from litestar.types import ASGIApp

from paddock.errors import PaddockError
from paddock.transports.http.asgi import AsgiResponder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from litestar.types import Receive, Scope, Send

    from paddock.transports.http.messages import Headers
    from paddock.zoo.model import ZooEvent
    from paddock.zoo.service import Zoo


PING_SECONDS = 15.0
READ_BATCH_EVENTS = 500
# Maximum number of missed events to replay. Beyond it, a `reset` makes the reader reload
# everything.
MAX_MISSED_EVENTS = 5_000
PING_CHUNK = b": ping\n\n"
RESET_CHUNK = b"event: reset\ndata: {}\n\n"

log = logging.getLogger("paddock.rest")

# Number of unsent bytes at which a slow reader is disconnected.
MAX_UNREAD_BYTES = 1024 * 1024
# Longest event ID, in digits, that both databases accept as a number.
MAX_EVENT_ID_DIGITS = 18
STREAM_HEADERS: Headers = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
RETRY_CHUNK = b"retry: 1000\n\n"
"""The delay in milliseconds before browsers reconnect."""


class EventListener(Protocol):
    """A connected client that receives events. Only used on the event loop."""

    def send_chunk(self, chunk: bytes) -> None:
        """Send an encoded server-sent event to the client."""

    def close(self) -> None:
        """End the stream."""


class ListenerState:
    """The position of a listener in the event log.

    New events are held back while missed ones are replayed, so the listener receives all of them in
    order.
    """

    def __init__(self, listener: EventListener, last_event_id: int) -> None:
        self.listener = listener
        self.last_event_id = last_event_id
        # The events that are held back, or None once the missed events have been sent.
        self.pending: list[tuple[int | None, bytes]] | None = []

    def deliver(self, event_id: int | None, chunk: bytes) -> None:
        """Send an event unless it has already been sent. Events without an ID are always sent."""
        if self.pending is not None:
            self.pending.append((event_id, chunk))
        elif event_id is None or event_id > self.last_event_id:
            if event_id is not None:
                self.last_event_id = event_id
            self.listener.send_chunk(chunk)

    def flush_pending(self) -> None:
        """Send the events that were held back, and from now on send events immediately."""
        pending, self.pending = self.pending or [], None
        for event_id, chunk in pending:
            self.deliver(event_id, chunk)


class EventFeed:
    """The event feed of one zoo. Only used on the event loop, except for `publish`.

    Zoo events arrive on the thread that runs `EventLog.follow`, which exists only while there are
    listeners. From there they are passed to the event loop.
    """

    def __init__(
        self, zoo: Zoo, *, ping_seconds: float = PING_SECONDS, max_missed: int = MAX_MISSED_EVENTS
    ) -> None:
        self._zoo = zoo
        self._ping_seconds = ping_seconds
        self._max_missed = max_missed
        self._states_by_listener: dict[EventListener, ListenerState] = {}
        # The listeners' event loop, which `publish` needs because other threads call it.
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ping_timer: asyncio.TimerHandle | None = None
        # Stops the thread that follows the event log.
        self._stop_flag = Flag()
        self._is_closed = False

    async def subscribe(self, listener: EventListener, after: int | None) -> None:
        """Send a listener all events from now on, or all since the event with the ID `after`.

        The listener is registered first, then missed events are replayed, and finally the events
        that occurred during the replay are sent.
        """
        self._loop = loop = asyncio.get_running_loop()
        latest_id = await asyncio.to_thread(self._zoo.events.get_latest_id)
        if self._is_closed:
            listener.close()
            return
        # An ID from the future belongs to another database, so the client has to reload everything.
        is_from_other_database = after is not None and after > latest_id
        start_id = latest_id if after is None or is_from_other_database else after
        # The listener is registered before missed events are read, so no event is lost in between.
        state = self._states_by_listener[listener] = ListenerState(listener, start_id)
        if is_from_other_database:
            listener.send_chunk(RESET_CHUNK)
        self._start_watching(latest_id)
        if self._ping_timer is None:
            self._ping_timer = loop.call_later(self._ping_seconds, self._send_ping)
        await self._send_missed_events(state, latest_id)
        state.flush_pending()

    def unsubscribe(self, listener: EventListener) -> None:
        """Stop sending events to a listener."""
        self._states_by_listener.pop(listener, None)
        if not self._states_by_listener:
            self._stop_flag.set()

    def publish(self, kind: str, data: object) -> None:
        """Send all listeners an event that the zoo does not store.

        This method is thread-safe.
        """
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # the event loop is closed, so there are no listeners
                loop.call_soon_threadsafe(
                    self._broadcast, [(None, _encode_chunk(None, kind, data))]
                )

    def close(self) -> None:
        """End all streams."""
        self._is_closed = True
        self._stop_flag.set()
        if self._ping_timer is not None:
            self._ping_timer.cancel()
        for listener in list(self._states_by_listener):
            listener.close()
        self._states_by_listener.clear()

    async def _send_missed_events(self, state: ListenerState, latest_id: int) -> None:
        """Replay the events that a listener missed, up to the event `latest_id`.

        If there are too many of them, send a `reset` event instead, which makes the client reload
        everything.
        """
        if latest_id - state.last_event_id > self._max_missed:
            state.last_event_id = latest_id
            state.listener.send_chunk(RESET_CHUNK)
        while state.last_event_id < latest_id and state.listener in self._states_by_listener:
            missed = await asyncio.to_thread(
                self._zoo.events.list_after, state.last_event_id, READ_BATCH_EVENTS
            )
            if not missed:
                return
            for event in missed:
                state.listener.send_chunk(_encode_event(event))
            state.last_event_id = missed[-1].id

    def _start_watching(self, after: int) -> None:
        """Start the thread that follows the event log, unless it is already running.

        Args:
            after: The ID of the event after which to start.
        """
        # The new listener is already registered, so the thread can only be running if there are
        # others.
        has_other_listeners = len(self._states_by_listener) > 1
        if has_other_listeners and not self._stop_flag.is_set():
            return
        self._stop_flag.set()  # the thread of earlier listeners may still be running
        loop = asyncio.get_running_loop()

        def schedule_broadcast(events: list[ZooEvent]) -> None:
            chunks = [(event.id, _encode_event(event)) for event in events]
            with suppress(RuntimeError):  # the event loop is closed
                loop.call_soon_threadsafe(self._broadcast, chunks)

        self._stop_flag = self._zoo.events.follow(after, schedule_broadcast, _log_unreadable)

    def _broadcast(self, chunks: Iterable[tuple[int | None, bytes]]) -> None:
        """Deliver events to all listeners, each with its ID if it has one."""
        for event_id, chunk in chunks:
            for state in list(self._states_by_listener.values()):
                state.deliver(event_id, chunk)

    def _send_ping(self) -> None:
        self._ping_timer = None
        if self._states_by_listener and self._loop is not None:
            self._broadcast([(None, PING_CHUNK)])
            self._ping_timer = self._loop.call_later(self._ping_seconds, self._send_ping)


def _log_unreadable(error: PaddockError) -> None:
    log.warning("Events cannot be read: %s", error)


def _encode_event(event: ZooEvent) -> bytes:
    return _encode_chunk(event.id, event.kind, event)


def _encode_chunk(event_id: int | None, kind: str, data: object) -> bytes:
    head = b"" if event_id is None else b"id: %d\n" % event_id
    return head + b"event: %b\ndata: %b\n\n" % (kind.encode(), msgspec.json.encode(data))


class EventStream:
    """The streaming response to one reader (an ASGI application).

    It listens to a feed, and forwards the events through an outbox of limited size.
    """

    def __init__(
        self, feed: EventFeed, after: int | None, max_unread_bytes: int = MAX_UNREAD_BYTES
    ) -> None:
        self._feed = feed
        self._after = after
        self._outbox = AsgiResponder(max_unread_bytes, None)

    def send_chunk(self, chunk: bytes) -> None:
        """Send a chunk of the stream, or disconnect a reader that is too slow."""
        if not self._outbox.is_complete and not self._outbox.write(chunk):
            # Otherwise memory would grow without limit. The browser reconnects and requests the
            # events it missed.
            self._feed.unsubscribe(self)
            self._outbox.abort()

    def close(self) -> None:
        """End the stream."""
        if not self._outbox.is_complete:
            self._outbox.end()

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the client disconnects or the feed is closed."""
        self._outbox.open_stream(STREAM_HEADERS)
        self._outbox.write(RETRY_CHUNK)
        send_task = asyncio.ensure_future(self._outbox.send_messages(send))  # type: ignore[arg-type]  # Litestar has its own types
        self._outbox.pump_task = send_task
        disconnect_task = asyncio.ensure_future(_wait_for_disconnect(receive))
        # Subscribing finishes early, which must not end the stream.
        subscribe_task = asyncio.ensure_future(self._subscribe())
        try:
            await asyncio.wait((send_task, disconnect_task), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._feed.unsubscribe(self)
            tasks = (send_task, disconnect_task, subscribe_task)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _subscribe(self) -> None:
        """Subscribe to the feed, or end the stream if the zoo cannot be read."""
        try:
            await self._feed.subscribe(self, self._after)
        except PaddockError as error:
            _log_unreadable(error)
            self.close()


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue


@get(
    "/events",
    summary="Receive events",
    media_type="text/event-stream",
    responses={
        200: ResponseSpec(str, media_type="text/event-stream", description="A stream of events.")
    },
)
async def events(
    feed: NamedDependency[EventFeed],
    last_event_id: Annotated[
        str | None,
        HeaderParameter(name="Last-Event-ID", description="Replay the events after this one."),
    ] = None,
) -> ASGIApp:
    """Stream server-sent events about the changes of every process that uses the zoo.

    The name of an event is its `kind`, its ID increases, and its data is the event as JSON. `reset`
    means that too many events were missed: reload everything. `connection` reports a client that
    calls an MCP endpoint of this process; it has no ID.
    """
    return EventStream(feed, _parse_event_id(last_event_id or ""))


def _parse_event_id(last_event_id: str) -> int | None:
    """Return the event ID that a reader sent, or None if it is invalid."""
    is_valid = last_event_id.isdecimal() and len(last_event_id) <= MAX_EVENT_ID_DIGITS
    return int(last_event_id) if is_valid else None


EVENT_ROUTES = [events]
