"""The access log: one line per HTTP request, written once the request has been answered.

A line names the request and its outcome. It never contains a query, a header or a body.
"""

from __future__ import annotations

import logging
from time import perf_counter
from typing import TYPE_CHECKING

from paddock.telemetry.logs import hash_session_id, to_printable
from paddock.telemetry.settings import ACCESS_LOG_LEVEL, ACCESS_LOGGER
from paddock.transports.http.messages import SESSION_ID_FIELD

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from paddock.transports.http.messages import Headers, HttpResponse, RequestHead, Responder


log = logging.getLogger(ACCESS_LOGGER)


def is_access_log_enabled() -> bool:
    """Return whether access log lines are written anywhere."""
    return log.isEnabledFor(ACCESS_LOG_LEVEL)


class LoggedResponder:
    """A responder that writes the access log line when the response is complete."""

    def __init__(self, responder: Responder, head: RequestHead | None) -> None:
        """Wrap a responder and start measuring the duration of the request.

        Args:
            responder: The responder that sends the response.
            head: The head of the request; None if it could not be parsed.
        """
        self._responder = responder
        self._head = head
        self._on_close: Callable[[], None] | None = None
        self._started = perf_counter()
        self._status: int | None = None
        self._size = 0
        self._fields: Mapping[str, object] = {}
        self._has_ended = False

    @property
    def client_address(self) -> tuple[str, int] | None:
        """The client's address and port."""
        return self._responder.client_address

    @property
    def is_gone(self) -> bool:
        """Whether the client has disconnected."""
        return self._responder.is_gone

    @property
    def on_close(self) -> Callable[[], None] | None:
        """Called if the client disconnects before the response is complete."""
        return self._on_close

    @on_close.setter
    def on_close(self, callback: Callable[[], None] | None) -> None:
        self._on_close = callback
        self._responder.on_close = (
            None if callback is None else lambda: self._handle_disconnect(callback)
        )

    def set_log_fields(self, fields: Mapping[str, object]) -> None:
        """Set the MCP message's log fields. The mapping may grow until the line is written."""
        self._fields = fields

    def respond(self, response: HttpResponse) -> None:
        """Send a complete response."""
        self._status, self._size = response.status, len(response.body)
        self._responder.respond(response)
        self._log_response()

    def open_stream(self, headers: Headers) -> None:
        """Begin a response of unknown length."""
        self._status = 200
        self._responder.open_stream(headers)

    def write(self, chunk: bytes) -> bool:
        """Send a chunk of the stream."""
        self._size += len(chunk)
        return self._responder.write(chunk)

    def end(self) -> None:
        """Complete the stream."""
        self._responder.end()
        self._log_response()

    def abort(self) -> None:
        """Close the connection before the response is complete."""
        self._responder.abort()
        self._log_response(is_complete=False)

    def _handle_disconnect(self, callback: Callable[[], None]) -> None:
        callback()
        self._log_response(is_complete=False)

    def _log_response(self, *, is_complete: bool = True) -> None:
        """Write the request's access log line unless it has already been written.

        Args:
            is_complete: False if the connection ended before the response was complete.
        """
        if self._has_ended:
            return
        self._has_ended = True
        head, status = self._head, self._status
        fields: dict[str, object] = {
            "http_method": "-" if head is None else to_printable(head.method),
            "path": "-" if head is None else to_printable(head.path),
            "status": status,
            "bytes": self._size,
            "client": None if self.client_address is None else self.client_address[0],
            "session": None if head is None else _hash_session_header(head),
            "outcome": "ok" if status is not None and status < 400 else "error",
            **self._fields,
            "duration_ms": round((perf_counter() - self._started) * 1000, 3),
        }
        if not is_complete:
            fields["outcome"] = "cancelled"
        log_fields = {name: value for name, value in fields.items() if value is not None}
        request = f"{fields['http_method']} {fields['path']}"
        log.info("%s %s", request, status or "-", extra=log_fields)


def _hash_session_header(head: RequestHead) -> str | None:
    session_id = head.headers.get(SESSION_ID_FIELD)
    return None if session_id is None else hash_session_id(session_id.decode("latin-1"))
