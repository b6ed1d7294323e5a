"""What an author's `lifespan` gives us: a context manager, plain or asynchronous."""

from __future__ import annotations

import contextlib
from typing import Any


def managed(manager: Any) -> Any:
    """A context manager; a bare generator, whose author forgot the decorator, is made one."""
    if hasattr(manager, "__anext__"):
        return contextlib.asynccontextmanager(lambda: manager)()
    if hasattr(manager, "__next__"):
        return contextlib.contextmanager(lambda: manager)()
    return manager
