"""Server-sent events, and a bounded memory of those that a client may ask for again."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from paddock.transports.http.contract import Headers

STREAM_HEADERS: Headers = [
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
]
KEEP_ALIVE = b": keep-alive\n\n"
MAX_EVENTS = 256
MAX_BYTES = 4 * 1024 * 1024


def event(frame: bytes) -> bytes:
    """A message as an event that cannot be asked for again."""
    return b"event: message\ndata: %b\n\n" % frame.rstrip(b"\n")


def numbered_event(event_id: str, frame: bytes) -> bytes:
    """A message as an event with an id."""
    return b"id: %b\nevent: message\ndata: %b\n\n" % (event_id.encode(), frame.rstrip(b"\n"))


def priming_event(event_id: str, retry_ms: int) -> bytes:
    """The first event of a stream: an id to come back with, and when."""
    return b"id: %b\nretry: %d\ndata: \n\n" % (event_id.encode(), retry_ms)


class Kept(NamedTuple):
    """An event that a client may ask for again."""

    stream: int
    number: int
    frame: bytes


class EventStore:
    """The latest events of a session, up to a number and a size."""

    __slots__ = ("_bytes", "_kept", "_max_bytes", "_max_events")

    def __init__(self, max_events: int = MAX_EVENTS, max_bytes: int = MAX_BYTES) -> None:
        self._max_events = max_events
        self._max_bytes = max_bytes
        self._kept: deque[Kept] = deque()
        self._bytes = 0

    def add(self, stream: int, number: int, frame: bytes) -> None:
        """Keep an event; the oldest ones make room."""
        self._kept.append(Kept(stream, number, frame))
        self._bytes += len(frame)
        while len(self._kept) > self._max_events or self._bytes > self._max_bytes:
            self._bytes -= len(self._kept.popleft().frame)

    def after(self, stream: int, number: int) -> list[Kept]:
        """The events of a stream that came after a number."""
        return [kept for kept in self._kept if kept.stream == stream and kept.number > number]

    def forget(self, stream: int) -> None:
        """Nobody can ask for the events of a stream any more."""
        self._kept = deque(kept for kept in self._kept if kept.stream != stream)
        self._bytes = sum(len(kept.frame) for kept in self._kept)
