"""The log of requests: one line each, with what was asked for and how it ended.

The path without its query, never a header or a body.
"""

from __future__ import annotations

import logging
import os
from time import perf_counter
from typing import TYPE_CHECKING

from paddock.telemetry.identities import printable
from paddock.telemetry.logs import LEVELS, configure
from paddock.telemetry.settings import ACCESS, FORMAT_VARIABLE, LEVEL_VARIABLE

if TYPE_CHECKING:
    from collections.abc import MutableMapping
    from typing import Any

    from paddock.transports.http.asgi import Send
    from paddock.transports.http.contract import Head, Headers

LOG_LEVEL_VARIABLE = "LOG_LEVEL"

log = logging.getLogger(ACCESS)


def configure_log() -> None:
    """Set the log up as the environment says: `LOG_LEVEL`, or Paddock's own variables.

    Raises:
        DefinitionError: when it names a level or a format that does not exist.
    """
    level = os.environ.get(LEVEL_VARIABLE) or os.environ.get(LOG_LEVEL_VARIABLE) or "warning"
    level = {"warn": "warning", "fatal": "critical", "trace": "debug"}.get(level.lower(), level)
    if level.lower() == "silent":
        level = LEVELS[-1]
    configure(level, os.environ.get(FORMAT_VARIABLE) or "json")


class Sending:
    """Sends the answer to one request, with headers that every answer has."""

    def __init__(self, send: Send, head: Head, headers: Headers, *, is_logged: bool) -> None:
        self._send = send
        self._head = head
        self._headers = headers
        self._started = perf_counter()
        self._status: int | None = None
        self._has_ended = not is_logged

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
            self.end()

    def end(self) -> None:
        """Write the line, unless it is there."""
        if self._has_ended:
            return
        self._has_ended = True
        fields = {
            "http_method": printable(self._head.method),
            "path": printable(self._head.path),
            "status": self._status,
            "duration_ms": round((perf_counter() - self._started) * 1000, 3),
        }
        log.info("%s %s %s", *list(fields.values())[:3], extra=fields)
