"""Server-sent events, and a bounded memory of those that a client may ask for again."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.protocol.http_headers import EVENT_STREAM_MEDIA_TYPE

if TYPE_CHECKING:
    from paddock.transports.http.messages import Headers

EVENT_STREAM_HEADERS: Headers = [
    (b"content-type", EVENT_STREAM_MEDIA_TYPE.encode()),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]
KEEP_ALIVE_COMMENT = b": keep-alive\n\n"


def encode_event(frame: bytes) -> bytes:
    """A message as an event that cannot be asked for again."""
    return b"event: message\ndata: %b\n\n" % frame.rstrip(b"\n")


def encode_numbered_event(event_id: str, frame: bytes) -> bytes:
    """A message as an event with an id."""
    return b"id: %b\nevent: message\ndata: %b\n\n" % (event_id.encode(), frame.rstrip(b"\n"))


def encode_priming_event(event_id: str, retry_ms: int) -> bytes:
    """The first event of a stream: an id to come back with, and when."""
    return b"id: %b\nretry: %d\ndata: \n\n" % (event_id.encode(), retry_ms)


class StoredEvent(NamedTuple):
    """An event that a client may ask for again."""

    stream: int
    number: int
    frame: bytes


class EventBudget:
    """How much the events of all sessions together may take; the longest unused make room."""

    __slots__ = ("_limit", "_stores", "_used_bytes")

    def __init__(self, max_bytes: int) -> None:
        self._limit = max_bytes
        self._used_bytes = 0
        self._stores: dict[EventStore, None] = {}

    def record_growth(self, store: EventStore, delta_bytes: int) -> None:
        """A store has become larger, or smaller; it is the one that was used last."""
        self._used_bytes += delta_bytes
        self._stores.pop(store, None)
        if store:
            self._stores[store] = None
        while self._used_bytes > self._limit and self._stores:
            oldest_store = next(iter(self._stores))
            del self._stores[oldest_store]
            self._used_bytes -= oldest_store.evict_all()


class EventStore:
    """The latest events of a session, up to a number and a size."""

    __slots__ = ("_budget", "_bytes", "_events", "_max_bytes", "_max_events")

    def __init__(self, max_events: int, max_bytes: int, budget: EventBudget) -> None:
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._budget = budget
        self._events: list[StoredEvent] = []
        self._bytes = 0

    def __bool__(self) -> bool:
        return bool(self._events)

    def add(self, stream_id: int, event_number: int, frame: bytes) -> None:
        """Keep an event; the oldest ones make room."""
        previous_bytes = self._bytes
        self._events.append(StoredEvent(stream_id, event_number, frame))
        self._bytes += len(frame)
        # The latest is kept whatever its size: it may be the answer that a client comes back for.
        while len(self._events) > 1 and self._exceeds_limits():
            self._bytes -= len(self._events.pop(0).frame)
        self._budget.record_growth(self, self._bytes - previous_bytes)

    def _exceeds_limits(self) -> bool:
        return len(self._events) > self._max_events or self._bytes > self._max_bytes

    def list_after(self, stream_id: int, event_number: int) -> list[StoredEvent]:
        """The events of a stream that came after a number."""
        return [
            event
            for event in self._events
            if event.stream == stream_id and event.number > event_number
        ]

    def clear(self) -> None:
        """Forget all of them."""
        self._budget.record_growth(self, -self.evict_all())

    def evict_all(self) -> int:
        """Forget all of them for the sake of others; how many bytes they were."""
        delta_bytes, self._bytes, self._events = self._bytes, 0, []
        return delta_bytes
