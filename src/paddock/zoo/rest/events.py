"""The events of a zoo, from every process, told to all who listen as they happen.

One thread waits for the database as long as anybody listens. Who reads too slowly is cut off: a
browser comes back by itself, says which event was its last one, and is told what it has missed.

The route of events as they happen: a stream of server-sent events that does not end.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from functools import partial
from threading import Event as Flag
from threading import Thread
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
    from litestar.types import Receive, Scope, Send

    from paddock.transports.http.messages import Headers
    from paddock.zoo.model import ZooEvent
    from paddock.zoo.service import Zoo


WAIT_TIMEOUT_SECONDS = 1.0
"""Seconds that one wait for the database takes at most; so long the thread outlives its work."""
PING_SECONDS = 15.0
READ_BATCH_EVENTS = 500
MAX_MISSED_EVENTS = 5_000
"""Missed events that are told one by one; after more of them everything is to be read anew."""
PING_CHUNK = b": ping\n\n"
RESET_CHUNK = b"event: reset\ndata: {}\n\n"

log = logging.getLogger("paddock.rest")


class EventListener(Protocol):
    """Somebody who is told of events; used on the event loop only."""

    def send_chunk(self, chunk: bytes) -> None:
        """Take a part of the stream."""

    def close(self) -> None:
        """Nothing more will come."""


class ListenerState:
    """A listener's place: what was told it last, and what has to wait until it has caught up."""

    def __init__(self, listener: EventListener, last: int) -> None:
        self.listener = listener
        self.last_event_id = last
        self.pending: list[tuple[int | None, bytes]] | None = []

    def deliver(self, number: int | None, chunk: bytes) -> None:
        """Pass an event on, unless it has been told; one without a number always is."""
        if self.pending is not None:
            self.pending.append((number, chunk))
        elif number is None or number > self.last_event_id:
            self.last_event_id = self.last_event_id if number is None else number
            self.listener.send_chunk(chunk)

    def flush_pending(self) -> None:
        """Tell what has waited, and everything at once from now on."""
        waiting, self.pending = self.pending or [], None
        for number, chunk in waiting:
            self.deliver(number, chunk)


class EventFeed:
    """The events of one zoo. All but `tell` on the event loop only."""

    def __init__(
        self, zoo: Zoo, *, ping_seconds: float = PING_SECONDS, most_missed: int = MAX_MISSED_EVENTS
    ) -> None:
        self._zoo = zoo
        self._ping_seconds = ping_seconds
        self._max_missed = most_missed
        self._states_by_listener: dict[EventListener, ListenerState] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ping_timer: asyncio.TimerHandle | None = None
        self._stop_flag = Flag()
        self._is_closed = False

    async def subscribe(self, listener: EventListener, after: int | None) -> None:
        """Tell somebody all events from now on; with `after`, all since that one."""
        self._loop = loop = asyncio.get_running_loop()
        now = await asyncio.to_thread(self._zoo.events.get_latest_id)
        if self._is_closed:
            listener.close()
            return
        # An id that was never given out is that of another zoo.
        start = now if after is None or after > now else after
        seat = self._states_by_listener[listener] = ListenerState(listener, start)
        if after is not None and after > now:
            listener.send_chunk(RESET_CHUNK)
        self._start_watching(now)
        if self._ping_timer is None:
            self._ping_timer = loop.call_later(self._ping_seconds, self._send_ping)
        await self._send_missed_events(seat, now)
        seat.flush_pending()

    def unsubscribe(self, listener: EventListener) -> None:
        """Tell somebody nothing more."""
        self._states_by_listener.pop(listener, None)
        if not self._states_by_listener:
            self._stop_flag.set()

    def publish(self, kind: str, data: object) -> None:
        """Tell everybody of something that the zoo does not keep. In any thread."""
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # the loop is closed: nobody is left
                loop.call_soon_threadsafe(self._broadcast, None, _encode_chunk(None, kind, data))

    def close(self) -> None:
        """End all streams."""
        self._is_closed = True
        self._stop_flag.set()
        if self._ping_timer is not None:
            self._ping_timer.cancel()
        for listener in list(self._states_by_listener):
            listener.close()
        self._states_by_listener.clear()

    async def _send_missed_events(self, seat: ListenerState, now: int) -> None:
        """Tell a listener what it has missed."""
        if now - seat.last_event_id > self._max_missed:
            seat.last_event_id = now
            seat.listener.send_chunk(RESET_CHUNK)
        while seat.last_event_id < now and seat.listener in self._states_by_listener:
            missed = await asyncio.to_thread(
                self._zoo.events.list_after, seat.last_event_id, READ_BATCH_EVENTS
            )
            if not missed:
                return
            for event in missed:
                seat.listener.send_chunk(_encode_event(event))
            seat.last_event_id = missed[-1].id

    def _start_watching(self, after: int) -> None:
        """Have a thread wait for events, if none does."""
        if len(self._states_by_listener) > 1 and not self._stop_flag.is_set():
            return
        self._stop_flag.set()  # one that waits for nobody any more
        self._stop_flag = ending = Flag()
        work = partial(self._watch_events, after, ending, asyncio.get_running_loop())
        Thread(target=work, name="zoo-events", daemon=True).start()

    def _watch_events(self, after: int, ending: Flag, loop: asyncio.AbstractEventLoop) -> None:
        while not ending.is_set():
            try:
                events = self._zoo.events.wait_after(after, WAIT_TIMEOUT_SECONDS)
            except PaddockError as error:
                log.warning("Events cannot be read now: %s", error)
                ending.wait(WAIT_TIMEOUT_SECONDS)
                continue
            if not events or ending.is_set():
                continue
            after = events[-1].id
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(
                    self._broadcast_all, [(e.id, _encode_event(e)) for e in events]
                )

    def _broadcast_all(self, chunks: list[tuple[int, bytes]]) -> None:
        for number, chunk in chunks:
            self._broadcast(number, chunk)

    def _broadcast(self, number: int | None, chunk: bytes) -> None:
        for seat in list(self._states_by_listener.values()):
            seat.deliver(number, chunk)

    def _send_ping(self) -> None:
        self._ping_timer = None
        if self._states_by_listener and self._loop is not None:
            self._broadcast(None, PING_CHUNK)
            self._ping_timer = self._loop.call_later(self._ping_seconds, self._send_ping)


def _encode_event(event: ZooEvent) -> bytes:
    return _encode_chunk(event.id, event.kind, event)


def _encode_chunk(number: int | None, kind: str, data: object) -> bytes:
    head = b"" if number is None else b"id: %d\n" % number
    return head + b"event: %b\ndata: %b\n\n" % (kind.encode(), msgspec.json.encode(data))


MAX_UNREAD_BYTES = 1024 * 1024
"""Bytes that wait for a reader, before it is cut off."""
MAX_EVENT_ID_DIGITS = 18
"""Of the id of an event; so many are a number for every database."""
STREAM_HEADERS: Headers = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),
]
RETRY_CHUNK = b"retry: 1000\n\n"
"""Milliseconds after which a browser comes back when the stream has ended."""


class EventStream:
    """The answer to one reader."""

    def __init__(
        self, feed: EventFeed, after: int | None, most_unread: int = MAX_UNREAD_BYTES
    ) -> None:
        self._feed = feed
        self._after = after
        self._outbox = AsgiResponder(most_unread, None)

    def send_chunk(self, chunk: bytes) -> None:
        """Send a part of the stream; a reader that is too slow is cut off."""
        if not self._outbox.is_complete and not self._outbox.write(chunk):
            self._feed.unsubscribe(self)
            self._outbox.abort()

    def close(self) -> None:
        """End the stream."""
        if not self._outbox.is_complete:
            self._outbox.end()

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """Send events until the reader leaves, or there will be no more."""
        self._outbox.open_stream(STREAM_HEADERS)
        self._outbox.write(RETRY_CHUNK)
        pumping = self._outbox.pump_task = asyncio.ensure_future(self._outbox.send_messages(send))  # type: ignore[arg-type]  # the same by another name
        leaving = asyncio.ensure_future(_wait_for_disconnect(receive))
        joining = asyncio.ensure_future(self._subscribe())
        try:
            await asyncio.wait((pumping, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._feed.unsubscribe(self)
            for task in (pumping, leaving, joining):
                task.cancel()
            await asyncio.gather(pumping, leaving, joining, return_exceptions=True)

    async def _subscribe(self) -> None:
        """Begin to hear; where the zoo cannot be read, the reader is to come back later."""
        try:
            await self._feed.subscribe(self, self._after)
        except PaddockError as error:
            log.warning("Events cannot be read now: %s", error)
            self.close()


async def _wait_for_disconnect(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue


@get(
    "/events",
    summary="Hear of events",
    media_type="text/event-stream",
    responses={
        200: ResponseSpec(str, media_type="text/event-stream", description="A stream of events.")
    },
)
async def events(
    feed: NamedDependency[EventFeed],
    last_event_id: Annotated[
        str | None,
        HeaderParameter(name="Last-Event-ID", description="Tell what has happened since this one."),
    ] = None,
) -> ASGIApp:
    """Server-sent events from every process that uses the zoo.

    The event is named as its `kind`, its id grows, and its data is the event as JSON. The event
    `reset` says that too much was missed: read everything anew. The event `connection` is a client
    that calls an MCP endpoint of this process; it has no id.
    """
    return EventStream(feed, _parse_event_id(last_event_id or ""))


def _parse_event_id(last_event_id: str) -> int | None:
    """The id that a reader has sent, if it can be one."""
    is_one = last_event_id.isdecimal() and len(last_event_id) <= MAX_EVENT_ID_DIGITS
    return int(last_event_id) if is_one else None


EVENT_ROUTES = [events]
