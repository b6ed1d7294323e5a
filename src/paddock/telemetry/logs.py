"""Paddock's log lines: their format and destination, their fields, and the call log.

Log fields contain no secrets and no line breaks. Paddock does not add handlers to loggers. It
replaces Python's handler of last resort, which only gets records that no other handler takes. A
program that sets up logging, before or after, keeps its setup and never sees a line twice.
"""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from hashlib import sha256
from time import time_ns
from typing import TYPE_CHECKING

import msgspec

from paddock.errors import DefinitionError
from paddock.protocol.trace_context import get_trace_context

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from paddock.protocol.observers import RequestOutcome
    from paddock.protocol.request import Request, Result


NAME_FIELDS = {"tools/call": "tool", "prompts/get": "prompt"}
"""The log field for the name in a request, for each method."""
MAX_NAME_LENGTH = 128


def to_printable(text: object) -> str:
    """Return a client's text on one line, limited in length."""
    shown = str(text)[:MAX_NAME_LENGTH]
    return shown if shown.isprintable() else ascii(shown)[1:-1]


def get_requested_name(request: Request) -> str | None:
    """Return the name of the tool or prompt in a request, if any."""
    if request.method not in NAME_FIELDS:
        return None
    return to_printable(getattr(request.params, "name", ""))


def hash_session_id(session_id: str | None) -> str | None:
    """Return a hash that identifies a session without revealing its ID, which grants access."""
    if session_id is None:
        return None
    return sha256(session_id.encode()).hexdigest()[:16]


def get_current_trace_id() -> str | None:
    """Return the current trace id, if OpenTelemetry is in use."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return None
    span_context = trace.get_current_span().get_span_context()
    return f"{span_context.trace_id:032x}" if span_context.is_valid else None


LOG_LEVELS = ("debug", "info", "warning", "error", "critical")
LOG_FORMATS = ("text", "json")

# logging stores `extra` fields as record attributes, without listing their names.
_STANDARD_ATTRIBUTES = frozenset(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "taskName",
}
ROOT_LOGGER = "paddock"
_call_log = logging.getLogger("paddock.calls")


class StderrHandler(logging.Handler):
    """A handler that writes to the current `sys.stderr`, even if it is replaced later."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a log record to standard error."""
        try:
            sys.stderr.write(self.format(record) + "\n")
            sys.stderr.flush()
        except Exception:  # noqa: BLE001 - logging must not raise, as in the standard library
            self.handleError(record)


class JsonFormatter(logging.Formatter):
    """A formatter that writes each log record as a JSON object on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record as a JSON object with its `extra` fields."""
        json_fields: dict[str, object] = {
            "time": format_time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **collect_extra_fields(record),
        }
        if record.exc_info:
            json_fields["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode(json_fields, enc_hook=str).decode()


class TextFormatter(logging.Formatter):
    """A formatter that writes each log record as a line of plain text."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record as text, followed by its `extra` fields: `message (name=value)`.

        The traceback of an exception follows on the next lines.
        """
        message = (
            f"{format_time(record)} {record.levelname.lower()} {record.name}: {record.getMessage()}"
        )
        fields = " ".join(
            f"{name}={_format_value(value)}" for name, value in collect_extra_fields(record).items()
        )
        line = f"{message} ({fields})" if fields else message
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line


def configure_logging(level: str = "warning", format: str = "text") -> None:  # noqa: A002 - a public name
    """Set the level and format of Paddock's log lines, for programs that do not set up logging.

    Args:
        level: The lowest level to log: debug, info, warning, error or critical.
        format: `text`, or `json` for one JSON object per line. It applies to all records that no
            other handler takes.

    Raises:
        DefinitionError: The level or the format is unknown.
    """
    set_up_logging(level, format)


def set_up_logging(level: str, log_format: str, *, keeps_level: bool = False) -> None:
    """Set the level and format of Paddock's log lines.

    Args:
        level: The lowest level to log, such as `info`.
        log_format: `text` or `json`.
        keeps_level: Do not change a level that the program has already set.

    Raises:
        DefinitionError: The level or the format is unknown.
    """
    level, log_format = level.lower(), log_format.lower()
    if level not in LOG_LEVELS:
        raise DefinitionError(f"unknown log level {level!r}", hint=f"use {', '.join(LOG_LEVELS)}")
    if log_format not in LOG_FORMATS:
        raise DefinitionError(
            f"unknown log format {log_format!r}", hint=f"use {', '.join(LOG_FORMATS)}"
        )
    handler = StderrHandler()
    handler.setFormatter(JsonFormatter() if log_format == "json" else TextFormatter())
    logging.lastResort = handler
    logger = logging.getLogger(ROOT_LOGGER)
    if not (keeps_level and logger.level):
        logger.setLevel(level.upper())


def is_logging_set_up() -> bool:
    """Return whether `set_up_logging` was called."""
    return isinstance(logging.lastResort, StderrHandler)


def format_announcement(text: str) -> str:
    """Format a line that is written regardless of the log level, such as a server's URL.

    It becomes a JSON object if Paddock's log format is `json`.
    """
    record = logging.makeLogRecord(
        {"name": ROOT_LOGGER, "levelname": "INFO", "levelno": logging.INFO, "msg": text}
    )
    handler = logging.lastResort
    is_json = isinstance(handler, StderrHandler) and isinstance(handler.formatter, JsonFormatter)
    return handler.format(record) if is_json and handler is not None else text


def format_time(record: logging.LogRecord) -> str:
    """Format a record's time in UTC."""
    created = datetime.fromtimestamp(record.created, UTC)
    return created.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def collect_extra_fields(record: logging.LogRecord) -> dict[str, object]:
    """Return a record's `extra` fields and its trace ID."""
    fields = {
        name: value for name, value in vars(record).items() if name not in _STANDARD_ATTRIBUTES
    }
    trace_id = fields.get("trace_id") or get_current_trace_id()
    return fields if trace_id is None else {**fields, "trace_id": trace_id}


def _format_value(value: object) -> str:
    text = str(value)
    is_plain = text.isprintable() and not set(text) & set(' "=()')
    return text if is_plain else msgspec.json.encode(text).decode()


class CallLog:
    """An observer that logs each answered request at level DEBUG.

    The line contains the caller, the method, the duration and the outcome, never the content.
    """

    def begin(self, request: Request, received_ns: int, *, is_known: bool) -> CallRecord:
        """Start the record of a request.

        Over HTTP, the access log line contains the same fields.
        """
        record = CallRecord(_collect_fields(request), received_ns)
        if request.exchange is not None:
            request.exchange.set_log_fields(record.fields)
        return record


class CallRecord:
    """The log fields of a request, which are completed and logged when the request ends."""

    __slots__ = ("_received_ns", "fields")

    def __init__(self, fields: dict[str, object], received_ns: int) -> None:
        self.fields = fields
        self._received_ns = received_ns

    def run(self, work: Callable[[], Result]) -> Result:
        """Call the function that handles the request, without any additional context."""
        return work()

    async def run_async(self, work: Callable[[], Awaitable[Result]]) -> Result:
        """Await the coroutine function that handles the request."""
        return await work()

    def record_exception(self, error: BaseException) -> None:
        """Do nothing, because handler failures are logged elsewhere."""

    def end(self, outcome: RequestOutcome) -> None:
        """Add the outcome and the duration to the fields, and write the line."""
        fields = self.fields
        trace_id = fields.get("trace_id") or get_current_trace_id()
        if trace_id is not None:
            fields["trace_id"] = trace_id
        fields["outcome"] = outcome.status
        if outcome.code is not None:
            fields["error_code"] = outcome.code
        fields["duration_ms"] = round((time_ns() - self._received_ns) / 1e6, 3)
        if _call_log.isEnabledFor(logging.DEBUG):
            name = fields.get("tool") or fields.get("prompt")
            subject = f"{fields['method']} {name}" if name else fields["method"]
            _call_log.debug("%s: %s", subject, outcome.status, extra=fields)


def _collect_fields(request: Request) -> dict[str, object]:
    """Return the fields of a request's log line that are known when it arrives.

    An example is `{"method": "tools/call", "request_id": 7, "tool": "add"}`.
    """
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
