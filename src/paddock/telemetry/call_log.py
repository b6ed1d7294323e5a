"""The call log: one line per request that a server has answered.

A line names the caller, the method, the duration and the outcome, never the content.
"""

from __future__ import annotations

import logging
from time import time_ns
from typing import TYPE_CHECKING

from paddock.protocol.trace_context import get_trace_context
from paddock.telemetry.logs import (
    NAME_FIELDS,
    get_current_trace_id,
    get_requested_name,
    hash_session_id,
    to_printable,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from paddock.protocol.observers import RequestOutcome
    from paddock.protocol.request import Request, Result

log = logging.getLogger("paddock.calls")


class CallLog:
    """Writes a line at level DEBUG for each request."""

    def begin(self, request: Request, received_ns: int, *, is_known: bool) -> CallRecord:
        """Begin the record of a request. The access log line of its exchange repeats the fields."""
        record = CallRecord(_collect_fields(request), received_ns)
        if request.exchange is not None:
            request.exchange.set_log_fields(record.fields)
        return record


class CallRecord:
    """The log fields of one request."""

    __slots__ = ("_received_ns", "fields")

    def __init__(self, fields: dict[str, object], received_ns: int) -> None:
        self.fields = fields
        self._received_ns = received_ns

    def run(self, work: Callable[[], Result]) -> Result:
        """Run the work in this thread."""
        return work()

    async def run_async(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """Run the work in this task."""
        return await work()

    def record_exception(self, error: BaseException) -> None:
        """Do nothing: failures of handlers are logged elsewhere."""

    def end(self, outcome: RequestOutcome) -> None:
        """Write the line."""
        fields = self.fields
        trace_id = fields.get("trace_id") or get_current_trace_id()
        if trace_id is not None:
            fields["trace_id"] = trace_id
        fields["outcome"] = outcome.status
        if outcome.code is not None:
            fields["error_code"] = outcome.code
        fields["duration_ms"] = round((time_ns() - self._received_ns) / 1e6, 3)
        if log.isEnabledFor(logging.DEBUG):
            name = fields.get("tool") or fields.get("prompt")
            subject = f"{fields['method']} {name}" if name else fields["method"]
            log.debug("%s: %s", subject, outcome.status, extra=fields)


def _collect_fields(request: Request) -> dict[str, object]:
    exchange, principal = request.exchange, request.principal
    trace_context = get_trace_context(request)
    fields = {
        "method": request.method,
        "request_id": to_printable(request.id) if isinstance(request.id, str) else request.id,
        NAME_FIELDS.get(request.method, "tool"): get_requested_name(request),
        "session": None if exchange is None else hash_session_id(exchange.session_id),
        "principal": None if principal is None else to_printable(principal.subject),
        "trace_id": None if trace_context is None else trace_context.trace_id,
    }
    return {name: value for name, value in fields.items() if value is not None}
