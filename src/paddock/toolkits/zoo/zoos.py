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

CHANGE_SOURCE = "mcp"
"""What the zoo remembers as the origin of what a chat has written."""

_zoo_lock = threading.Lock()
_shared_zoo: Zoo | None = None
_own_zoo: Zoo | None = None


def share_zoo(zoo: Zoo | None) -> None:
    """Have the tools of this process use a zoo that somebody else has opened, and closes."""
    global _shared_zoo  # noqa: PLW0603 - there is one for the process
    with _zoo_lock:
        _shared_zoo = zoo


def get_zoo() -> Zoo:
    """The zoo of this process.

    Raises:
        ZooUnavailableError: when its database cannot be used.
    """
    global _own_zoo  # noqa: PLW0603 - as above
    with _zoo_lock:
        if _shared_zoo is not None:
            return _shared_zoo
        if _own_zoo is None:
            from paddock.zoo.opening import open_zoo  # noqa: PLC0415 - an SQL toolkit

            _own_zoo = open_zoo()
            atexit.register(_own_zoo.close)
        return _own_zoo


def get_caller_zoo(ctx: Context) -> Zoo:
    """The zoo that a caller may see."""
    zoo = get_zoo()
    principal = ctx.principal
    return zoo if principal is None else zoo.for_owner(principal.subject)
