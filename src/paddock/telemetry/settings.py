"""Selection of a server's observers when it starts.

Every server loads this module, so it imports nothing outside the interpreter. Observers that are
not needed are not loaded.
"""

from __future__ import annotations

import os
import sys

from paddock.lazy_modules import LazyModule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from opentelemetry.trace import TracerProvider

    from paddock.protocol.observers import RequestObserver
    from paddock.telemetry import logs
else:  # loads logging, 15 ms
    logs = LazyModule("paddock.telemetry.logs")

LOGGING_LEVEL_VARIABLE = "PADDOCK_LOG_LEVEL"
LOGGING_FORMAT_VARIABLE = "PADDOCK_LOG_FORMAT"

CALL_LOGGER, CALL_LOG_LEVEL = "paddock.calls", 10
ACCESS_LOGGER, ACCESS_LOG_LEVEL = "paddock.http.access", 20


def make_observers(
    tracing: TracerProvider | bool | None, *, is_http: bool = False
) -> list[RequestObserver]:
    """Return the observers that record a server's requests as spans and log lines.

    The first observer is outermost: its span includes the log line.

    Args:
        tracing: The tracer provider. True means the global one, and None means the global one if
            the program has set it. False disables spans.
        is_http: Whether the server is served over HTTP and may write an access log.
    """
    observers: list[RequestObserver] = []
    if tracing is not False and (tracing is not None or _has_tracer_provider()):
        from paddock.telemetry.tracing import SpanObserver  # noqa: PLC0415 - needs OpenTelemetry

        observers.append(SpanObserver(None if tracing is None or tracing is True else tracing))
    # Access log lines repeat the fields of the call log.
    has_access_log = is_http and _is_logger_enabled(ACCESS_LOGGER, ACCESS_LOG_LEVEL)
    if has_access_log or _is_logger_enabled(CALL_LOGGER, CALL_LOG_LEVEL):
        observers.append(logs.CallLog())
    return observers


def apply_logging_environment() -> None:
    """Set up logging from the environment variables, unless the program has set up logging.

    Raises:
        DefinitionError: A variable names an unknown level or format.
    """
    level = os.environ.get(LOGGING_LEVEL_VARIABLE)
    log_format = os.environ.get(LOGGING_FORMAT_VARIABLE)
    if not level and not log_format:
        return
    if not logs.is_logging_set_up():
        logs.set_up_logging(level or "warning", log_format or "text", keeps_level=True)


def _has_tracer_provider() -> bool:
    """Return whether OpenTelemetry is configured, not merely imported."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return False
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def _is_logger_enabled(logger: str, level: int) -> bool:
    logging = sys.modules.get("logging")
    return logging is not None and bool(logging.getLogger(logger).isEnabledFor(level))
