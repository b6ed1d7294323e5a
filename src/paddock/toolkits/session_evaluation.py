"""How old something may become, as people write it: `1 month`, `Quantity[2, "Weeks"]`, seconds.

How long sessions are kept, as the options of an evaluator say.

Which session the evaluator used last, for tools that look at what was defined in it.
"""

from __future__ import annotations

import re
import threading
from math import isfinite
from typing import TYPE_CHECKING, Any, TypeVar

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


def parse_duration(age: object) -> float | None:
    """An age in seconds; None for one that never comes, or that is none."""
    if isinstance(age, bool):
        return None
    if isinstance(age, int | float):
        return float(age) if isfinite(age) and age > 0 else None
    found = _DURATION_PATTERN.fullmatch(age) if isinstance(age, str) else None
    if found is None:
        return None
    unit = _UNIT_SECONDS.get(found[2].lower())
    try:
        return float(found[1]) * unit if unit else None
    except ValueError:
        return None


def read_retention_policy(options: Mapping[str, Any]) -> RetentionPolicy:
    """The bounds that options set."""
    return RetentionPolicy(
        max_age_seconds=parse_duration(options["MaxSessionAge"]),
        max_sessions=options["MaxSessionCount"],
        max_total_bytes=options["MaxSessionBytes"],
    )


K = TypeVar("K")
V = TypeVar("V")
MAX_TRACKED_SESSIONS = 1000
_sessions_lock = threading.Lock()
_latest_sessions: dict[tuple[int, str], str] = {}
_session_engines: dict[str, Engine] = {}


def record_session(ctx: Context, session: str, engine: Engine) -> None:
    """Remember that a session was used on behalf of whoever calls."""
    with _sessions_lock:
        _put_bounded(_session_engines, session, engine)
        _put_bounded(_latest_sessions, _get_caller_key(ctx), session)


def _put_bounded(table: dict[K, V], key: K, value: V) -> None:
    """Set a value; of too many, those go that were set first."""
    table.pop(key, None)
    table[key] = value
    while len(table) > MAX_TRACKED_SESSIONS:
        del table[next(iter(table))]


def get_latest_session(ctx: Context) -> str | None:
    """The session that whoever calls used last with this server; None when there is none."""
    return _latest_sessions.get(_get_caller_key(ctx))


def get_session_engine(session: str) -> Engine | None:
    """The engine that a session was last used with in this process."""
    return _session_engines.get(session)


def _get_caller_key(ctx: Context) -> tuple[int, str]:
    """Which server is called, and by whom if it checks that: nobody sees the sessions of others."""
    principal = ctx.principal
    return id(ctx.server), "" if principal is None else f"{principal.issuer} {principal.subject}"
