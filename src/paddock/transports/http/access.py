"""The access log: one line for each HTTP request, once it has been answered.

The line names the request and its outcome; no query, no header and no body is in it.
"""

from __future__ import annotations

import logging
from time import perf_counter
from typing import TYPE_CHECKING

from paddock.telemetry.identities import printable, session_of
from paddock.telemetry.settings import ACCESS, ACCESS_LEVEL

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paddock.transports.http.contract import Head, Headers, Outgoing, Response

SESSION_ID = b"mcp-session-id"

log = logging.getLogger(ACCESS)


def is_logged() -> bool:
    """Whether anybody reads the log."""
    return log.isEnabledFor(ACCESS_LEVEL)


class Logged:
    """The answer to a request on its way to the client, with a line when it is complete."""

    __slots__ = (
        "_fields",
        "_has_ended",
        "_head",
        "_on_close",
        "_outgoing",
        "_size",
        "_started",
        "_status",
    )

    def __init__(self, outgoing: Outgoing, head: Head | None) -> None:
        self._outgoing = outgoing
        self._head = head
        self._on_close: Callable[[], None] | None = None
        self._started = perf_counter()
        self._status: int | None = None
        self._size = 0
        self._fields: Mapping[str, object] = {}
        self._has_ended = False

    @property
    def client(self) -> tuple[str, int] | None:
        """The address and port of the client."""
        return self._outgoing.client

    @property
    def is_gone(self) -> bool:
        """Whether the client has left already."""
        return self._outgoing.is_gone

    @property
    def on_close(self) -> Callable[[], None] | None:
        """Called when the client is gone before the answer is complete."""
        return self._on_close

    @on_close.setter
    def on_close(self, callback: Callable[[], None] | None) -> None:
        self._on_close = callback
        self._outgoing.on_close = None if callback is None else lambda: self._left(callback)

    def note(self, fields: Mapping[str, object]) -> None:
        """Take what is known of the message in the request; more may be added to it later."""
        self._fields = fields

    def respond(self, response: Response) -> None:
        """Send a whole answer."""
        self._status, self._size = response.status, len(response.body)
        self._outgoing.respond(response)
        self._end()

    def open_stream(self, headers: Headers) -> None:
        """Begin an answer of unknown length."""
        self._status = 200
        self._outgoing.open_stream(headers)

    def write(self, chunk: bytes) -> bool:
        """Send a part of a stream."""
        self._size += len(chunk)
        return self._outgoing.write(chunk)

    def end(self) -> None:
        """A stream is complete."""
        self._outgoing.end()
        self._end()

    def abort(self) -> None:
        """Break off."""
        self._outgoing.abort()
        self._end(is_whole=False)

    def _left(self, callback: Callable[[], None]) -> None:
        callback()
        self._end(is_whole=False)

    def _end(self, *, is_whole: bool = True) -> None:
        if self._has_ended:
            return
        self._has_ended = True
        head, status = self._head, self._status
        fields: dict[str, object] = {
            "http_method": "-" if head is None else printable(head.method),
            "path": "-" if head is None else printable(head.path),
            "status": status,
            "bytes": self._size,
            "client": None if self.client is None else self.client[0],
            "session": None if head is None else _session(head),
            "outcome": "ok" if status is not None and status < 400 else "error",
            **self._fields,
            "duration_ms": round((perf_counter() - self._started) * 1000, 3),
        }
        if not is_whole:
            fields["outcome"] = "cancelled"
        shown = {name: value for name, value in fields.items() if value is not None}
        request = f"{fields['http_method']} {fields['path']}"
        log.info("%s %s", request, status or "-", extra=shown)


def _session(head: Head) -> str | None:
    session_id = head.headers.get(SESSION_ID)
    return None if session_id is None else session_of(session_id.decode("latin-1"))
