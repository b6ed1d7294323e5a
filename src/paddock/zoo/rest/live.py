"""The route of events as they happen: a stream of server-sent events that does not end."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Annotated

from litestar import get
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import HeaderParameter
from litestar.types import ASGIApp

from paddock.errors import PaddockError
from paddock.transports.http.asgi import AsgiResponder
from paddock.zoo.rest.feed import EventFeed

if TYPE_CHECKING:
    from litestar.types import Receive, Scope, Send

    from paddock.transports.http.contract import Headers

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

log = logging.getLogger("paddock.rest")


class EventStream:
    """The answer to one reader."""

    def __init__(self, feed: EventFeed, after: int | None, most_unread: int = MAX_UNREAD_BYTES) -> None:
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
