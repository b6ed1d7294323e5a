"""Who observes a server, decided once when it starts.

Loaded by every server, so it needs nothing but the interpreter: what is not asked for is not
loaded.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

    from paddock.protocol.observers import RequestObserver

LOGGING_LEVEL_VARIABLE = "PADDOCK_LOG_LEVEL"
LOGGING_FORMAT_VARIABLE = "PADDOCK_LOG_FORMAT"

CALL_LOGGER, CALL_LOG_LEVEL = "paddock.calls", 10
ACCESS_LOGGER, ACCESS_LOG_LEVEL = "paddock.http.access", 20


def make_observers(
    tracing: TracerProvider | bool | None, *, is_http: bool = False
) -> list[RequestObserver]:
    """Who is told of the requests of a server with this setting; the outermost first."""
    observers: list[RequestObserver] = []
    if tracing is not False and (tracing is not None or _has_tracer_provider()):
        from paddock.telemetry.tracing import SpanObserver  # noqa: PLC0415 - needs OpenTelemetry

        observers.append(SpanObserver(None if tracing is None or tracing is True else tracing))
    if _is_logger_enabled(CALL_LOGGER, CALL_LOG_LEVEL) or (
        is_http and _is_logger_enabled(ACCESS_LOGGER, ACCESS_LOG_LEVEL)
    ):
        from paddock.telemetry.call_log import CallLog  # noqa: PLC0415 - only where it is read

        observers.append(CallLog())
    return observers


def apply_logging_environment() -> None:
    """Set up the logs as the environment says, if it says anything and nobody else has.

    Raises:
        DefinitionError: when it names a level or a format that does not exist.
    """
    level, log_format = (
        os.environ.get(LOGGING_LEVEL_VARIABLE),
        os.environ.get(LOGGING_FORMAT_VARIABLE),
    )
    if not level and not log_format:
        return
    from paddock.telemetry import logs  # noqa: PLC0415 - logging is 15 ms

    if not logs.is_logging_set_up():
        logs.set_up_logging(level or "warning", log_format or "text", keeps_level=True)


def _has_tracer_provider() -> bool:
    """Whether OpenTelemetry has been set up; it is not enough that somebody has loaded it."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return False
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def _is_logger_enabled(logger: str, level: int) -> bool:
    logging = sys.modules.get("logging")
    return logging is not None and bool(logging.getLogger(logger).isEnabledFor(level))
