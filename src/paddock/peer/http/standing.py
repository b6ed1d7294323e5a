"""The stream of a session on which the server speaks of itself, if it has one.

It is asked for again whenever it ends, with growing pauses while nothing comes of it.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from paddock.peer.errors import HttpError
from paddock.peer.http.client import MAX_BODY
from paddock.peer.http.events import Events
from paddock.peer.http.exchange import EVENT_STREAM, MAX_WAIT, UNAVAILABLE, content_type, pause

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.peer.http.client import Client
    from paddock.peer.http.holder import Holder
    from paddock.peer.http.session import Session

NO_STREAM = 405
FIRST_FAILURE = 3
"""Pauses begin where those between repeated requests end: nobody waits for this stream."""


class StandingStream:
    """Listens until it is aborted, the session is gone, or the server has no such stream."""

    def __init__(
        self, client: Client, session: Session, holder: Holder, feed: Callable[[bytes], None]
    ) -> None:
        self._client = client
        self._session = session
        self._holder = holder
        self._feed = feed

    def run(self) -> None:
        """Listen, in the thread that calls this."""
        events, failures = Events(MAX_BODY), 0
        while not self._holder.is_aborted:
            try:
                heard = self._listen(events)
            except HttpError as error:
                if error.status is not None and error.status not in UNAVAILABLE:
                    self._report(error)
                    return
                heard = False
            failures = 1 if heard else failures + 1
            events = events.resumed()
            wait = events.retry or pause(FIRST_FAILURE + failures - 1)
            self._holder.sleep(min(MAX_WAIT, wait))

    def _listen(self, events: Events) -> bool:
        """Take the events of one stream to its end; whether there were any."""
        headers = {"Accept": EVENT_STREAM, **self._session.headers}
        if events.last_id is not None:
            headers["Last-Event-ID"] = events.last_id
        heard = False
        try:
            response = self._client.send("GET", headers, None, self._holder)
            if response.status >= 300 or content_type(response) != EVENT_STREAM:
                body = self._client.discard(response, self._holder)
                raise self._client.failure(response, body, "the request for a stream")
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

    def _report(self, error: HttpError) -> None:
        level = logging.DEBUG if error.status == NO_STREAM else logging.INFO
        text = "Nothing will be heard between requests: %s"
        logging.getLogger("paddock").log(level, text, error)
