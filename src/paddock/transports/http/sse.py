"""Server-sent event encoding, and a bounded store of the events that clients may request again."""

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
    """Encode a message as an event without an id."""
    return b"event: message\ndata: %b\n\n" % frame.rstrip(b"\n")


def encode_numbered_event(event_id: str, frame: bytes) -> bytes:
    """Encode a message as an event with an id."""
    return b"id: %b\nevent: message\ndata: %b\n\n" % (event_id.encode(), frame.rstrip(b"\n"))


def encode_priming_event(event_id: str, retry_ms: int) -> bytes:
    """Encode the first event of a stream: an id and a delay for reconnecting, without data."""
    return b"id: %b\nretry: %d\ndata: \n\n" % (event_id.encode(), retry_ms)


class StoredEvent(NamedTuple):
    """An event that a client may request again."""

    stream: int
    number: int
    frame: bytes


class EventBudget:
    """The shared size limit for the server-sent events stored for all sessions.

    If it is exceeded, the events of the least recently used sessions are dropped.
    """

    __slots__ = ("_limit", "_stores", "_used_bytes")

    def __init__(self, max_bytes: int) -> None:
        self._limit = max_bytes
        self._used_bytes = 0
        self._stores: dict[EventStore, None] = {}

    def record_growth(self, store: EventStore, delta_bytes: int) -> None:
        """Record that a store has changed in size, and drop events if the limit is exceeded.

        The store becomes the most recently used one.

        Args:
            store: The stored events of a session.
            delta_bytes: The growth of the store; negative if it has shrunk.
        """
        self._used_bytes += delta_bytes
        # Reinserted at the end so that the dict stays in order of last use.
        self._stores.pop(store, None)
        if store:
            self._stores[store] = None
        while self._used_bytes > self._limit and self._stores:
            oldest_store = next(iter(self._stores))
            del self._stores[oldest_store]
            self._used_bytes -= oldest_store.evict_all()


class EventStore:
    """A session's latest server-sent events, limited in number and size.

    A client that lost its connection can fetch the events that it missed.
    """

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
        """Store an event from a stream, dropping the oldest events if a limit is exceeded.

        Args:
            stream_id: The number of the stream in the session.
            event_number: The number of the event in the stream.
            frame: The encoded JSON-RPC message.
        """
        previous_bytes = self._bytes
        self._events.append(StoredEvent(stream_id, event_number, frame))
        self._bytes += len(frame)
        # The latest event is kept regardless of its size, because it may be the answer that a
        # client is reconnecting to get.
        while len(self._events) > 1 and (
            len(self._events) > self._max_events or self._bytes > self._max_bytes
        ):
            self._bytes -= len(self._events.pop(0).frame)
        self._budget.record_growth(self, self._bytes - previous_bytes)

    def list_after(self, stream_id: int, event_number: int) -> list[StoredEvent]:
        """Return the stored events of a stream whose numbers are higher than the given one."""
        return [
            event
            for event in self._events
            if event.stream == stream_id and event.number > event_number
        ]

    def clear(self) -> None:
        """Drop all events."""
        self._budget.record_growth(self, -self.evict_all())

    def evict_all(self) -> int:
        """Drop all events without updating the budget, and return their size in bytes."""
        freed_bytes, self._bytes, self._events = self._bytes, 0, []
        return freed_bytes
