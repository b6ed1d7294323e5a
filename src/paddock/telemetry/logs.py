"""Format and destination of Paddock's log lines, and the fields that logs and spans share.

Log fields contain no secrets and no line breaks. Paddock adds no handler to any logger. It replaces
Python's handler of last resort, which gets only the records that no other handler takes. A program
that sets up logging, before or after, keeps its setup and sees no line twice.
"""

from __future__ import annotations

import logging
import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from paddock.errors import DefinitionError

if TYPE_CHECKING:
    from paddock.protocol.request import Request


NAME_FIELDS = {"tools/call": "tool", "prompts/get": "prompt"}
"""The log field for the name in a request, by method."""
MAX_NAME_LENGTH = 128


def to_printable(text: object) -> str:
    """Return a text from a client on one line and limited in length."""
    shown = str(text)[:MAX_NAME_LENGTH]
    return shown if shown.isprintable() else ascii(shown)[1:-1]


def get_requested_name(request: Request) -> str | None:
    """Return the name of the tool or prompt that a request names, if any."""
    if request.method not in NAME_FIELDS:
        return None
    return to_printable(getattr(request.params, "name", ""))


def hash_session_id(session_id: str | None) -> str | None:
    """Return a hash that identifies a session without revealing its id, which grants access."""
    if session_id is None:
        return None
    from hashlib import sha256  # noqa: PLC0415 - takes 4 MB; stdio servers do not need it

    return sha256(session_id.encode()).hexdigest()[:16]


def get_current_trace_id() -> str | None:
    """Return the trace id of the running code, if OpenTelemetry is in use."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return None
    span_context = trace.get_current_span().get_span_context()
    return f"{span_context.trace_id:032x}" if span_context.is_valid else None


LOG_LEVELS = ("debug", "info", "warning", "error", "critical")
LOG_FORMATS = ("text", "json")

# logging stores `extra` fields as attributes of the record, without a list of their names.
_STANDARD_ATTRIBUTES = frozenset(vars(logging.makeLogRecord({}))) | {
    "message",
    "asctime",
    "taskName",
}
ROOT_LOGGER = "paddock"


class StderrHandler(logging.Handler):
    """Writes to the current `sys.stderr`, even if it is replaced later."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        try:
            sys.stderr.write(self.format(record) + "\n")
            sys.stderr.flush()
        except Exception:  # noqa: BLE001 - as the handlers of the standard library do
            self.handleError(record)


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON object per line."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record with its `extra` fields."""
        line: dict[str, object] = {
            "time": format_time(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **collect_extra_fields(record),
        }
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return msgspec.json.encode(line, enc_hook=str).decode()


class TextFormatter(logging.Formatter):
    """Formats a record as a line of text."""

    def format(self, record: logging.LogRecord) -> str:
        """Format a record with its `extra` fields."""
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
    """Set level and format of Paddock's log lines in programs that do not set up logging.

    Args:
        level: The lowest level of Paddock's lines: debug, info, warning, error or critical.
        format: `text`, or `json` for one JSON object per line. It applies to all records that no
            other handler takes.

    Raises:
        DefinitionError: The level or the format is unknown.
    """
    set_up_logging(level, format)


def set_up_logging(level: str, log_format: str, *, keeps_level: bool = False) -> None:
    """Set level and format. `keeps_level` keeps a level that the program has set."""
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
    """Format a line that is written regardless of the log level."""
    record = logging.makeLogRecord(
        {"name": ROOT_LOGGER, "levelname": "INFO", "levelno": logging.INFO, "msg": text}
    )
    handler = logging.lastResort
    is_json = isinstance(handler, StderrHandler) and isinstance(handler.formatter, JsonFormatter)
    return handler.format(record) if is_json and handler is not None else text


def format_time(record: logging.LogRecord) -> str:
    """Format the time of a record in UTC."""
    created = datetime.fromtimestamp(record.created, UTC)
    return created.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def collect_extra_fields(record: logging.LogRecord) -> dict[str, object]:
    """Return the `extra` fields of a record and the id of its trace."""
    fields = {
        name: value for name, value in vars(record).items() if name not in _STANDARD_ATTRIBUTES
    }
    trace_id = fields.get("trace_id") or get_current_trace_id()
    return fields if trace_id is None else {**fields, "trace_id": trace_id}


def _format_value(value: object) -> str:
    text = str(value)
    is_plain = text.isprintable() and not set(text) & set(' "=()')
    return text if is_plain else msgspec.json.encode(text).decode()
