"""Which session the evaluator used last, for tools that look at what was defined in it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from paddock.authoring.context import Context
    from paddock.kernels.engines.engine import Engine

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
