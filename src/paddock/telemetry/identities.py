"""What spans and logs call things: nothing secret, nothing that can break a line."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paddock.protocol.request import Request

NAME_FIELDS = {"tools/call": "tool", "prompts/get": "prompt"}
"""The methods that name something that the server declares, and what."""
MAX_NAME_LENGTH = 128


def to_printable(text: object) -> str:
    """A text that a client has chosen, on one line and not too long."""
    shown = str(text)[:MAX_NAME_LENGTH]
    return shown if shown.isprintable() else ascii(shown)[1:-1]


def get_requested_name(request: Request) -> str | None:
    """The tool or prompt that a request names."""
    if request.method not in NAME_FIELDS:
        return None
    return to_printable(getattr(request.params, "name", ""))


def hash_session_id(session_id: str | None) -> str | None:
    """A session, told from others without its id: whoever knows that could take part in it."""
    if session_id is None:
        return None
    from hashlib import sha256  # noqa: PLC0415 - 4 MB that a stdio server does not need

    return sha256(session_id.encode()).hexdigest()[:16]


def get_current_trace_id() -> str | None:
    """The trace that the running code belongs to, where OpenTelemetry is in use."""
    trace = sys.modules.get("opentelemetry.trace")
    if trace is None:
        return None
    found = trace.get_current_span().get_span_context()
    return f"{found.trace_id:032x}" if found.is_valid else None
