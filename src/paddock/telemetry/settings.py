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

    from paddock.protocol.observing import Observer

LEVEL_VARIABLE = "PADDOCK_LOG_LEVEL"
FORMAT_VARIABLE = "PADDOCK_LOG_FORMAT"

CALLS, CALLS_LEVEL = "paddock.calls", 10
ACCESS, ACCESS_LEVEL = "paddock.http.access", 20


def observers_of(tracing: TracerProvider | bool | None, *, is_http: bool = False) -> list[Observer]:
    """Who is told of the requests of a server with this setting; the outermost first."""
    found: list[Observer] = []
    if tracing is not False and (tracing is not None or _has_provider()):
        from paddock.telemetry.tracing import Tracing  # noqa: PLC0415 - needs OpenTelemetry

        found.append(Tracing(None if tracing is None or tracing is True else tracing))
    if _is_logged(CALLS, CALLS_LEVEL) or (is_http and _is_logged(ACCESS, ACCESS_LEVEL)):
        from paddock.telemetry.calls import CallLog  # noqa: PLC0415 - only where it is read

        found.append(CallLog())
    return found


def apply_environment() -> None:
    """Set up the logs as the environment says, if it says anything and nobody else has.

    Raises:
        DefinitionError: when it names a level or a format that does not exist.
    """
    level, form = os.environ.get(LEVEL_VARIABLE), os.environ.get(FORMAT_VARIABLE)
    if not level and not form:
        return
    from paddock.telemetry import logs  # noqa: PLC0415 - logging is 15 ms

    if not logs.is_configured():
        logs.configure(level or "warning", form or "text", keeps_level=True)


def _has_provider() -> bool:
    """Whether OpenTelemetry has been set up; it is not enough that somebody has loaded it."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return False
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def _is_logged(logger: str, level: int) -> bool:
    logging = sys.modules.get("logging")
    return logging is not None and bool(logging.getLogger(logger).isEnabledFor(level))
