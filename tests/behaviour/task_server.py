"""A server whose tools become tasks, for tests that reach it in every way.

What a test waits for it waits for by calling a tool, so that it can be in another process.
"""

import asyncio
import threading
import time

from paddock import Context, Server, ToolError, elicitation
from paddock.protocol.errors import ProtocolError

PATIENCE = 4
NAME = {"type": "object", "properties": {"name": {"type": "string"}}}


class Gates:
    """What holds the tools of one server up, and what they have come to."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self.open = threading.Event()
        self.stopped = threading.Event()

    async def pass_through(self) -> None:
        self.begun.set()
        try:
            while not self.open.is_set():  # noqa: ASYNC110 - any thread may open it
                await asyncio.sleep(0.002)
        except asyncio.CancelledError:
            self.stopped.set()
            raise

    def pass_through_blocking(self) -> None:
        self.begun.set()
        try:
            while not self.open.is_set():
                time.sleep(0.002)
        except BaseException:
            self.stopped.set()
            raise


def build() -> Server:
    """A fresh server."""
    server, gates = Server("tasks", version="1.0.0"), Gates()
    for add in (_add_gates, _add_workers, _add_askers, _add_choosers):
        add(server, gates)
    return server


def _add_gates(server: Server, gates: Gates) -> None:
    @server.tool
    def open_gate() -> str:
        """Let the tools that wait go on."""
        gates.open.set()
        return "open"

    @server.tool
    def has_begun() -> bool:
        """Whether a tool waits for the gate."""
        return gates.begun.wait(PATIENCE)

    @server.tool
    def has_stopped() -> bool:
        """Whether a tool that waited was stopped."""
        return gates.stopped.wait(PATIENCE)


def _add_workers(server: Server, gates: Gates) -> None:
    @server.tool
    def never() -> str:
        """Never a task."""
        return "at once"

    @server.tool(task="optional")
    async def work() -> str:
        """Wait for the gate."""
        await gates.pass_through()
        return "worked"

    @server.tool(task="optional")
    def crunch() -> str:
        """Wait for the gate in a thread."""
        gates.pass_through_blocking()
        return "crunched"

    @server.tool(task="required")
    async def must() -> str:
        """Always a task."""
        return "done"

    @server.tool(task="required")
    async def fail() -> str:
        """Fail as tools do."""
        raise ToolError("no luck")

    @server.tool(task="required")
    async def break_down() -> str:
        """Fail as the protocol does."""
        raise ProtocolError("broken", rpc_code=-31999, data={"part": "wheel"})


def _add_askers(server: Server, gates: Gates) -> None:
    @server.tool(task="required")
    async def ask(ctx: Context) -> str:
        """Ask for a name."""
        answer = await ctx.elicit("Name?", NAME, key="name")
        return f"{answer.action} {answer.data}"

    @server.tool(task="required")
    def ask_blocking(ctx: Context) -> str:
        """Ask for a name from a thread."""
        answer = ctx.elicit("Name?", NAME, key="name").wait()
        return f"{answer.action} {answer.data}"

    @server.tool(task="required")
    async def ask_twice(ctx: Context) -> str:
        """Ask two things at once, and one of them again."""
        both = await ctx.ask(one=elicitation("One?", NAME), two=elicitation("Two?", NAME))
        again = await ctx.elicit("One again?", NAME, key="one")
        return f"{both['one'].action} {both['two'].action} {again.action}"

    @server.tool(task="required")
    async def talk(ctx: Context) -> str:
        """Report progress."""
        ctx.progress(1, 2, "half way")
        await gates.pass_through()
        return "talked"


def _add_choosers(server: Server, gates: Gates) -> None:
    @server.tool(task="required", task_from_handler=True)
    async def escalate(ctx: Context) -> str:
        """Ask first, continue as a task, and ask again."""
        first = await ctx.elicit("Name?", NAME, key="name")
        ctx.detach(message="on my way")
        second = await ctx.elicit("Sure?", NAME, key="sure")
        return f"{first.data} {second.action} {ctx.is_task}"

    @server.tool(task="optional", task_from_handler=True)
    async def choose(ctx: Context, ttl_ms: int | None = None) -> str:
        """Become a task with a time to live, or answer at once."""
        if ttl_ms is not None:
            ctx.detach(ttl_ms=ttl_ms)
        return f"task: {ctx.is_task}"

    @server.tool(task="optional", task_from_handler=True)
    async def park(ctx: Context, ttl_ms: int) -> str:
        """Ask, with a time to live."""
        ctx.detach(ttl_ms=ttl_ms)
        try:
            return (await ctx.elicit("Name?", NAME, key="name")).action
        except asyncio.CancelledError:
            gates.stopped.set()
            raise


if __name__ == "__main__":
    build().run()
