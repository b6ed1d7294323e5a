"""Which session the evaluator used last, for tools that look at what was defined in it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from paddock.authoring.context import Context
    from paddock.kernels.engines.engine import Engine

K = TypeVar("K")
V = TypeVar("V")
MOST = 1000
_lock = threading.Lock()
_latest: dict[tuple[int, str], str] = {}
_engines: dict[str, Engine] = {}


def note_session(ctx: Context, session: str, engine: Engine) -> None:
    """Remember that a session was used on behalf of whoever calls."""
    with _lock:
        _put(_engines, session, engine)
        _put(_latest, _caller(ctx), session)


def _put(table: dict[K, V], key: K, value: V) -> None:
    """Set a value; of too many, those go that were set first."""
    table.pop(key, None)
    table[key] = value
    while len(table) > MOST:
        del table[next(iter(table))]


def latest_session(ctx: Context) -> str | None:
    """The session that whoever calls used last with this server; None when there is none."""
    return _latest.get(_caller(ctx))


def engine_of(session: str) -> Engine | None:
    """The engine that a session was last used with in this process."""
    return _engines.get(session)


def _caller(ctx: Context) -> tuple[int, str]:
    """Which server is called, and by whom if it checks that: nobody sees the sessions of others."""
    principal = ctx.principal
    return id(ctx.server), "" if principal is None else f"{principal.issuer} {principal.subject}"
