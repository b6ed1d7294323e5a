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
from paddock.peer.http.client import MAX_BODY
from paddock.peer.http.events import Events
from paddock.peer.http.exchange import (
    GONE,
    MAX_WAIT,
    TOO_MANY,
    pause,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.peer.http.exchange import Conversation
    from paddock.peer.http.holder import Holder

PURPOSE = "the request for a stream"
NO_STREAM, SERVER_ERROR, NOT_IMPLEMENTED = 405, 500, 501
FIRST_FAILURE = 3
"""Pauses begin where those between repeated requests end: nobody waits for this stream."""


class StandingStream:
    """Listens until it is aborted, or the server has no such stream."""

    def __init__(
        self,
        conversation: Conversation,
        holder: Holder,
        feed: Callable[[bytes], None],
    ) -> None:
        self._conversation = conversation
        self._client = conversation.client
        self._holder = holder
        self._feed = feed
        self._generation = conversation.session.generation
        self._was_open = False

    def run(self) -> None:
        """Listen, in the thread that calls this."""
        events, failures = Events(MAX_BODY), 0
        while not self._holder.is_aborted:
            try:
                failures = 1 if self._listen(events) else failures + 1
                wait = events.retry or pause(FIRST_FAILURE + failures - 1)
            except Exception as fault:  # noqa: BLE001 - the thread is lent
                if not self._may_come_back(fault):
                    self._report(fault)
                    return
                failures += 1
                least = getattr(fault, "retry_after", None) or events.retry or 0.0
                wait = max(least, pause(FIRST_FAILURE + failures - 1))
            events = events.resumed()
            self._holder.sleep(min(MAX_WAIT, wait))

    def _may_come_back(self, fault: Exception) -> bool:
        """Whether to ask again after this; a session that is gone is opened anew first."""
        if not isinstance(fault, HttpError):
            return False
        if fault.status == GONE and self._was_open:
            # Where there was a stream there will be one again, in place of this one.
            with suppress(ConnectError):  # next time, then
                self._conversation.reopen(self._generation, self._holder)
            return True
        is_down = fault.status is None or fault.status >= SERVER_ERROR
        return fault.status == TOO_MANY or (is_down and fault.status != NOT_IMPLEMENTED)

    def _listen(self, events: Events) -> bool:
        """Take the events of one stream to its end; whether there were any."""
        headers = self._conversation.session.headers
        heard = False
        try:
            response = self._client.open_stream(headers, events.last_id, self._holder, PURPOSE)
            self._was_open = True
            try:
                for piece in self._client.pieces(response, self._holder):
                    for data in events.feed(piece):
                        heard = True
                        self._feed(data)
            finally:
                response.close()
        finally:
            self._holder.release()
        return heard

    def _report(self, error: Exception) -> None:
        is_usual = isinstance(error, HttpError) and error.status == NO_STREAM
        level = logging.DEBUG if is_usual else logging.INFO
        text = "Nothing will be heard between requests: %s"
        logging.getLogger("paddock").log(level, text, error)
