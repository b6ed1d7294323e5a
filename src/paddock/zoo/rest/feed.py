"""The events of a zoo, from every process, told to all who listen as they happen.

One thread waits for the database as long as anybody listens. Who reads too slowly is cut off: a
browser comes back by itself, says which event was its last one, and is told what it has missed.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from functools import partial
from threading import Event as Flag
from threading import Thread
from typing import TYPE_CHECKING, Protocol

import msgspec

from paddock.errors import PaddockError

if TYPE_CHECKING:
    from paddock.zoo.model import Event
    from paddock.zoo.service import Zoo

PATIENCE = 1.0
"""Seconds that one wait for the database takes at most; so long the thread outlives its work."""
PING_SECONDS = 15.0
BATCH = 500
MOST_MISSED = 5_000
"""Missed events that are told one by one; after more of them everything is to be read anew."""
PING = b": ping\n\n"
RESET = b"event: reset\ndata: {}\n\n"

log = logging.getLogger("paddock.rest")


class Listener(Protocol):
    """Somebody who is told of events; used on the event loop only."""

    def hear(self, chunk: bytes) -> None:
        """Take a part of the stream."""

    def end(self) -> None:
        """Nothing more will come."""


class Seat:
    """A listener's place: what was told it last, and what has to wait until it has caught up."""

    def __init__(self, listener: Listener, last: int) -> None:
        self.listener = listener
        self.last = last
        self.waiting: list[tuple[int | None, bytes]] | None = []

    def tell(self, number: int | None, chunk: bytes) -> None:
        """Pass an event on, unless it has been told; one without a number always is."""
        if self.waiting is not None:
            self.waiting.append((number, chunk))
        elif number is None or number > self.last:
            self.last = self.last if number is None else number
            self.listener.hear(chunk)

    def go_live(self) -> None:
        """Tell what has waited, and everything at once from now on."""
        waiting, self.waiting = self.waiting or [], None
        for number, chunk in waiting:
            self.tell(number, chunk)


class Feed:
    """The events of one zoo. All but `tell` on the event loop only."""

    def __init__(
        self, zoo: Zoo, *, ping_seconds: float = PING_SECONDS, most_missed: int = MOST_MISSED
    ) -> None:
        self._zoo = zoo
        self._ping_seconds = ping_seconds
        self._most_missed = most_missed
        self._seats: dict[Listener, Seat] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pinging: asyncio.TimerHandle | None = None
        self._ending = Flag()
        self._is_closed = False

    async def join(self, listener: Listener, after: int | None) -> None:
        """Tell somebody all events from now on; with `after`, all since that one."""
        self._loop = loop = asyncio.get_running_loop()
        now = await asyncio.to_thread(self._zoo.latest_event_id)
        if self._is_closed:
            listener.end()
            return
        # An id that was never given out is that of another zoo.
        start = now if after is None or after > now else after
        seat = self._seats[listener] = Seat(listener, start)
        if after is not None and after > now:
            listener.hear(RESET)
        self._watch(now)
        if self._pinging is None:
            self._pinging = loop.call_later(self._ping_seconds, self._ping)
        await self._catch_up(seat, now)
        seat.go_live()

    def leave(self, listener: Listener) -> None:
        """Tell somebody nothing more."""
        self._seats.pop(listener, None)
        if not self._seats:
            self._ending.set()

    def tell(self, kind: str, data: object) -> None:
        """Tell everybody of something that the zoo does not keep. In any thread."""
        loop = self._loop
        if loop is not None:
            with suppress(RuntimeError):  # the loop is closed: nobody is left
                loop.call_soon_threadsafe(self._spread, None, _chunk(None, kind, data))

    def close(self) -> None:
        """End all streams."""
        self._is_closed = True
        self._ending.set()
        if self._pinging is not None:
            self._pinging.cancel()
        for listener in list(self._seats):
            listener.end()
        self._seats.clear()

    async def _catch_up(self, seat: Seat, now: int) -> None:
        """Tell a listener what it has missed."""
        if now - seat.last > self._most_missed:
            seat.last = now
            seat.listener.hear(RESET)
        while seat.last < now and seat.listener in self._seats:
            missed = await asyncio.to_thread(self._zoo.events_after, seat.last, BATCH)
            if not missed:
                return
            for event in missed:
                seat.listener.hear(_of_event(event))
            seat.last = missed[-1].id

    def _watch(self, after: int) -> None:
        """Have a thread wait for events, if none does."""
        if len(self._seats) > 1 and not self._ending.is_set():
            return
        self._ending.set()  # one that waits for nobody any more
        self._ending = ending = Flag()
        work = partial(self._wait, after, ending, asyncio.get_running_loop())
        Thread(target=work, name="zoo-events", daemon=True).start()

    def _wait(self, after: int, ending: Flag, loop: asyncio.AbstractEventLoop) -> None:
        while not ending.is_set():
            try:
                events = self._zoo.wait_for_events(after, PATIENCE)
            except PaddockError as error:
                log.warning("Events cannot be read now: %s", error)
                ending.wait(PATIENCE)
                continue
            if not events or ending.is_set():
                continue
            after = events[-1].id
            with suppress(RuntimeError):  # the loop is closed
                loop.call_soon_threadsafe(self._spread_all, [(e.id, _of_event(e)) for e in events])

    def _spread_all(self, chunks: list[tuple[int, bytes]]) -> None:
        for number, chunk in chunks:
            self._spread(number, chunk)

    def _spread(self, number: int | None, chunk: bytes) -> None:
        for seat in list(self._seats.values()):
            seat.tell(number, chunk)

    def _ping(self) -> None:
        self._pinging = None
        if self._seats and self._loop is not None:
            self._spread(None, PING)
            self._pinging = self._loop.call_later(self._ping_seconds, self._ping)


def _of_event(event: Event) -> bytes:
    return _chunk(event.id, event.kind, event)


def _chunk(number: int | None, kind: str, data: object) -> bytes:
    head = b"" if number is None else b"id: %d\n" % number
    return head + b"event: %b\ndata: %b\n\n" % (kind.encode(), msgspec.json.encode(data))
