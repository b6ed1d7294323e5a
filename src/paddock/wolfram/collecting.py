"""Making many objects that all stay, without the interpreter looking for garbage among them."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def defer_gc() -> Iterator[None]:
    """Put off the collection of garbage: to look for some takes as long as reading a source."""
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_collecting:
            gc.enable()
