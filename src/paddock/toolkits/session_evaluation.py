"""Sessions of the evaluator tools: retention policy, and the session that a caller used last."""

from __future__ import annotations

import re
import threading
from math import isfinite
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from paddock.kernels.sessions import RetentionPolicy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.authoring.context import Context
    from paddock.kernels.engine import Engine


_UNIT_SECONDS = {
    "second": 1,
    "minute": 60,
    "hour": 3600,
    "day": 86_400,
    "week": 7 * 86_400,
    "month": 30 * 86_400,
    "year": 365 * 86_400,
}
_DURATION_PATTERN = re.compile(
    r"\s*(?:Quantity\[\s*)?([0-9.]+)\s*,?\s*\"?([A-Za-z]+?)s?\"?\s*\]?\s*", re.IGNORECASE
)


def parse_duration(duration: object) -> float | None:
    """Return a duration in seconds, or None if it is unlimited or invalid.

    Accepts a number of seconds, `1 month`, and `Quantity[2, "Weeks"]`.
    """
    # bool is a subclass of int, but True is not a second.
    if isinstance(duration, bool):
        return None
    if isinstance(duration, int | float):
        return float(duration) if isfinite(duration) and duration > 0 else None
    match = _DURATION_PATTERN.fullmatch(duration) if isinstance(duration, str) else None
    if match is None:
        return None
    unit_seconds = _UNIT_SECONDS.get(match[2].lower())
    try:
        return float(match[1]) * unit_seconds if unit_seconds else None
    except ValueError:  # two decimal points
        return None


def read_retention_policy(options: Mapping[str, Any]) -> RetentionPolicy:
    """Return the retention policy that the options of an evaluator define."""
    return RetentionPolicy(
        max_age_seconds=parse_duration(options["MaxSessionAge"]),
        max_sessions=options["MaxSessionCount"],
        max_total_bytes=options["MaxSessionBytes"],
    )


K = TypeVar("K")
V = TypeVar("V")
MAX_TRACKED_SESSIONS = 1000


class BoundedMapping(Generic[K, V]):
    """A thread-safe mapping that discards the least recently set entries."""

    def __init__(self, max_size: int = MAX_TRACKED_SESSIONS) -> None:
        self._max_size = max_size
        self._lock = threading.Lock()
        self._values: dict[K, V] = {}

    def put(self, key: K, value: V) -> None:
        """Set the value of a key, and make it the most recent one."""
        with self._lock:
            self._values.pop(key, None)
            self._values[key] = value
            while len(self._values) > self._max_size:
                del self._values[next(iter(self._values))]

    def get(self, key: K) -> V | None:
        """Return the value of a key, or None."""
        return self._values.get(key)


_latest_sessions: BoundedMapping[tuple[int, str], str] = BoundedMapping()
_session_engines: BoundedMapping[str, Engine] = BoundedMapping()


def record_session(ctx: Context, session: str, engine: Engine) -> None:
    """Remember the session as the caller's latest one, and the engine that it uses."""
    _session_engines.put(session, engine)
    _latest_sessions.put(_get_caller_key(ctx), session)


def get_latest_session(ctx: Context) -> str | None:
    """Return the session that the caller used last on this server, or None."""
    return _latest_sessions.get(_get_caller_key(ctx))


def get_session_engine(session: str) -> Engine | None:
    """Return the engine that the session used last in this process, or None."""
    return _session_engines.get(session)


def _get_caller_key(ctx: Context) -> tuple[int, str]:
    # The principal is part of the key, so that no user sees the sessions of another one.
    principal = ctx.principal
    return id(ctx.server), "" if principal is None else f"{principal.issuer} {principal.subject}"
