"""The tools that need no model type, as plain functions."""

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def echo(text: str) -> str:
    """Return the text."""
    return text


def add(a: int, b: int) -> int:
    """Add two integers."""
    return a + b


def slow(ms: int) -> int:
    """Block for some milliseconds."""
    time.sleep(ms / 1000)
    return ms


SIMPLE_TOOLS: "tuple[Callable[..., object], ...]" = (echo, add, slow)
