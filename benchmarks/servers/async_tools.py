"""The tools that need no model type, as coroutines."""

import asyncio

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


async def echo(text: str) -> str:
    """Return the text."""
    return text


async def add(a: int, b: int) -> int:
    """Add two integers."""
    return a + b


async def slow(ms: int) -> int:
    """Wait for some milliseconds."""
    await asyncio.sleep(ms / 1000)
    return ms


SIMPLE_TOOLS: "tuple[Callable[..., object], ...]" = (echo, add, slow)
