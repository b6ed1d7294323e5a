"""The log of requests: one line each, with what was asked for and how it ended.

The path without its query, never a header or a body.
"""

from __future__ import annotations

import logging
import os
from time import perf_counter
from typing import TYPE_CHECKING

from paddock.telemetry.identities import to_printable
from paddock.telemetry.logs import LOG_LEVELS, set_up_logging
from paddock.telemetry.settings import ACCESS_LOGGER, LOGGING_FORMAT_VARIABLE, LOGGING_LEVEL_VARIABLE

if TYPE_CHECKING:
    from collections.abc import MutableMapping
    from typing import Any

    from paddock.transports.http.asgi import Send
    from paddock.transports.http.contract import RequestHead, Headers

LOG_LEVEL_VARIABLE = "LOG_LEVEL"

access_log = logging.getLogger(ACCESS_LOGGER)


def configure_request_log() -> None:
    """Set the log up as the environment says: `LOG_LEVEL`, or Paddock's own variables.

    Raises:
        DefinitionError: when it names a level or a format that does not exist.
    """
    level = os.environ.get(LOGGING_LEVEL_VARIABLE) or os.environ.get(LOG_LEVEL_VARIABLE) or "warning"
    level = {"warn": "warning", "fatal": "critical", "trace": "debug"}.get(level.lower(), level)
    if level.lower() == "silent":
        level = LOG_LEVELS[-1]
    set_up_logging(level, os.environ.get(LOGGING_FORMAT_VARIABLE) or "json")


class ResponseLogger:
    """Sends the answer to one request, with headers that every answer has."""

    def __init__(self, send: Send, head: RequestHead, headers: Headers, *, is_logged: bool) -> None:
        self._send = send
        self._head = head
        self._headers = headers
        self._started = perf_counter()
        self._status: int | None = None
        self._is_finished = not is_logged

    async def __call__(self, message: MutableMapping[str, Any]) -> None:
        """Pass a part of the answer on."""
        if message["type"] == "http.response.start":
            self._status = message["status"]
            own = {name.lower() for name, _ in message.get("headers", ())}
            more = [(name, value) for name, value in self._headers if name not in own]
            message = {**message, "headers": [*message.get("headers", ()), *more]}
        is_last = message["type"] == "http.response.body" and not message.get("more_body")
        await self._send(message)
        if is_last:
            self.finish()

    def finish(self) -> None:
        """Write the line, unless it is there."""
        if self._is_finished:
            return
        self._is_finished = True
        fields = {
            "http_method": to_printable(self._head.method),
            "path": to_printable(self._head.path),
            "status": self._status,
            "duration_ms": round((perf_counter() - self._started) * 1000, 3),
        }
        access_log.info("%s %s %s", *list(fields.values())[:3], extra=fields)
