"""Which zoo a call is about: one for the process, and in a team the caller's own part of it.

It is opened when something is first wanted of it, because opening a database is no part of
starting a server. A program that has opened one already, as `paddock up` has, lends it.
"""

from __future__ import annotations

import atexit
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paddock.authoring.context import Context
    from paddock.zoo.service import Zoo

SOURCE = "mcp"
"""What the zoo remembers as the origin of what a chat has written."""

_lock = threading.Lock()
_lent: Zoo | None = None
_own: Zoo | None = None


def lend_zoo(zoo: Zoo | None) -> None:
    """Have the tools of this process use a zoo that somebody else has opened, and closes."""
    global _lent  # noqa: PLW0603 - there is one for the process
    with _lock:
        _lent = zoo


def the_zoo() -> Zoo:
    """The zoo of this process.

    Raises:
        ZooUnavailableError: when its database cannot be used.
    """
    global _own  # noqa: PLW0603 - as above
    with _lock:
        if _lent is not None:
            return _lent
        if _own is None:
            from paddock.zoo.opening import open_zoo  # noqa: PLC0415 - an SQL toolkit

            _own = open_zoo()
            atexit.register(_own.close)
        return _own


def zoo_of(ctx: Context) -> Zoo:
    """The zoo that a caller may see."""
    zoo = the_zoo()
    principal = ctx.principal
    return zoo if principal is None else zoo.for_owner(principal.subject)
