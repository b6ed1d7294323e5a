"""The trace that a request belongs to, told to the server in its `_meta`.

Nothing is imported for it: a program that traces has imported OpenTelemetry itself.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paddock.peer.settings import TraceContextSource

TRACE_CONTEXT_KEYS = ("traceparent", "tracestate", "baggage")
"""The keys that the protocol has for the W3C trace context."""


def collect_trace_context(source: TraceContextSource | None) -> dict[str, str]:
    """The trace context of the current thread, from its source or from OpenTelemetry."""
    if source is not None:
        carrier = source()
    elif "opentelemetry" in sys.modules:
        carrier = _inject_current_context()
    else:
        return {}
    return {key: carrier[key] for key in TRACE_CONTEXT_KEYS if carrier.get(key)}


def _inject_current_context() -> dict[str, str]:
    try:
        from opentelemetry.propagate import inject  # noqa: PLC0415 - only where it is in use
    except ImportError:  # a namespace with other parts of it
        return {}
    carrier: dict[str, str] = {}
    inject(carrier)
    return carrier
