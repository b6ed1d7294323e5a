"""What every server program shares, and nothing that takes time to import.

A measured program imports this module before it answers, so it must not load `typing`, `asyncio`
or anything else that a library under test may do without.

Variables of the environment decide what a server offers:
    BENCH_ASYNC=1: its handlers are coroutines, where the library knows them.
    BENCH_INLINE=1: its handlers are declared cheap, which only our library knows.
    BENCH_TOOLS=N: it registers N more tools and says on stderr how long that took.
    BENCH_PORT=N: where it listens, if it serves over HTTP.
    BENCH_SSE=1: it answers there with an event stream, where the library leaves the choice.
"""

import os
import sys
import time

if os.environ.get("BENCH_ASYNC") == "1":
    from benchmarks.servers.async_tools import SIMPLE_TOOLS as SIMPLE_TOOLS
else:
    from benchmarks.servers.sync_tools import SIMPLE_TOOLS as SIMPLE_TOOLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    ToolFunction = Callable[..., object]

ASYNC = os.environ.get("BENCH_ASYNC") == "1"
INLINE = os.environ.get("BENCH_INLINE") == "1"
HOST = "127.0.0.1"
PORT = int(os.environ.get("BENCH_PORT", "0"))
JSON_ANSWERS = os.environ.get("BENCH_SSE") != "1"
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"


def summary(
    order_id: str, currency: str, lines: "Iterable[tuple[int, float]]"
) -> dict[str, str | float]:
    """The answer of `nested`: what an order comes to."""
    return {
        "order": order_id,
        "currency": currency,
        "total": sum(quantity * price for quantity, price in lines),
    }


def png(size: int) -> bytes:
    """Bytes that begin like a PNG file."""
    return PNG_SIGNATURE + bytes(size - len(PNG_SIGNATURE))


def choose(plain: "ToolFunction", coroutine: "ToolFunction") -> "ToolFunction":
    """The variant that BENCH_ASYNC asks for, under the name of the plain one."""
    if not ASYNC:
        return plain
    coroutine.__name__ = plain.__name__
    return coroutine


def register_generated(register: "Callable[[ToolFunction], object]") -> None:
    """Register as many tools as BENCH_TOOLS says, and tell stderr how long that took."""
    count = int(os.environ.get("BENCH_TOOLS", "0"))
    if count == 0:
        return
    tools = [_generated_tool(index) for index in range(count)]
    start = time.perf_counter()
    for tool in tools:
        register(tool)
    elapsed = time.perf_counter() - start
    print(f"registered {count} in {elapsed:.6f}", file=sys.stderr, flush=True)


def _generated_tool(index: int) -> "ToolFunction":
    def search(query: str, limit: int = 10, exact: bool = False) -> str:
        """Search one of many collections."""
        return f"{query} {limit} {exact}"

    search.__name__ = f"search_{index:05d}"
    return search
