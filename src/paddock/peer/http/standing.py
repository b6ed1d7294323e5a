"""The stream of a session on which the server speaks of itself, if it has one.

It is asked for again whenever it ends, with growing pauses while nothing comes of it. A session
that the server has forgotten meanwhile is opened anew, since nobody else may notice.
"""

from __future__ import annotations

import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from paddock.errors import ConnectError
from paddock.peer.errors import HttpError
from paddock.peer.http.client import MAX_BODY_BYTES
from paddock.peer.http.events import SseParser
from paddock.peer.http.exchange import (
    NOT_FOUND,
    MAX_RETRY_SECONDS,
    TOO_MANY_REQUESTS,
    get_retry_delay,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.peer.http.exchange import ExchangeContext
    from paddock.peer.http.holder import AbortableWork

STREAM_PURPOSE = "the request for a stream"
METHOD_NOT_ALLOWED, SERVER_ERROR, NOT_IMPLEMENTED = 405, 500, 501
FIRST_BACKOFF_STEP = 3
"""Pauses begin where those between repeated requests end: nobody waits for this stream."""


class ServerEventStream:
    """Listens until it is aborted, or the server has no such stream."""

    def __init__(
        self,
        conversation: ExchangeContext,
        holder: AbortableWork,
        feed: Callable[[bytes], None],
    ) -> None:
        self._context = conversation
        self._sender = conversation.sender
        self._work = holder
        self._feed = feed
        self._generation = conversation.session.generation
        self._was_open = False

    def run(self) -> None:
        """Listen, in the thread that calls this."""
        events, failures = SseParser(MAX_BODY_BYTES), 0
        while not self._work.is_aborted:
            try:
                failures = 1 if self._read_stream(events) else failures + 1
                wait = events.retry_seconds or get_retry_delay(FIRST_BACKOFF_STEP + failures - 1)
            except Exception as fault:  # noqa: BLE001 - the thread is lent
                if not self._can_retry(fault):
                    self._log_end(fault)
                    return
                failures += 1
                least = getattr(fault, "retry_after", None) or events.retry_seconds or 0.0
                wait = max(least, get_retry_delay(FIRST_BACKOFF_STEP + failures - 1))
            events = events.make_continuation()
            self._work.sleep(min(MAX_RETRY_SECONDS, wait))

    def _can_retry(self, fault: Exception) -> bool:
        """Whether to ask again after this; a session that is gone is opened anew first."""
        if not isinstance(fault, HttpError):
            return False
        if fault.status == NOT_FOUND and self._was_open:
            # Where there was a stream there will be one again, in place of this one.
            with suppress(ConnectError):  # next time, then
                self._context.reopen_session(self._generation, self._work)
            return True
        is_down = fault.status is None or fault.status >= SERVER_ERROR
        return fault.status == TOO_MANY_REQUESTS or (is_down and fault.status != NOT_IMPLEMENTED)

    def _read_stream(self, events: SseParser) -> bool:
        """Take the events of one stream to its end; whether there were any."""
        headers = self._context.session.headers
        heard = False
        try:
            response = self._sender.open_stream(headers, events.last_id, self._work, STREAM_PURPOSE)
            self._was_open = True
            try:
                for piece in self._sender.iterate_body(response, self._work):
                    for data in events.feed(piece):
                        heard = True
                        self._feed(data)
            finally:
                response.close()
        finally:
            self._work.release_socket()
        return heard

    def _log_end(self, error: Exception) -> None:
        is_usual = isinstance(error, HttpError) and error.status == METHOD_NOT_ALLOWED
        level = logging.DEBUG if is_usual else logging.INFO
        text = "Nothing will be heard between requests: %s"
        logging.getLogger("paddock").log(level, text, error)
