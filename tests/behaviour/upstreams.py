"""Servers in processes of their own, for tests that mount them."""

import os
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.behaviour.line import PATIENCE

PROGRAM = '''
import asyncio
import os
import threading

from paddock import CallToolResult, Context, ImageContent, Server, TextContent, Tool, ToolError

server = Server("upstream", version="2.0")
stopped = threading.Event()


@server.tool(annotations={"readOnlyHint": True}, meta={"example/colour": "red"})
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool
def pid() -> int:
    return os.getpid()


@server.tool
def everything(ctx: Context) -> CallToolResult:
    content = [TextContent("one"), ImageContent(b"picture", "image/png")]
    meta = {"example/given": ctx.meta.get("example/given")}
    return CallToolResult(content, structured_content={"big": 2**70}, meta=meta)


@server.tool
def fail() -> str:
    raise ToolError("No such luck")


@server.tool
def die() -> None:
    os._exit(7)


@server.tool
def steps(ctx: Context) -> str:
    for step in range(3):
        ctx.progress(step + 1, 3, f"step {step}")
        ctx.debug(f"debug {step}")
        ctx.warning(f"warning {step}")
    return "done"


@server.tool
async def hang(ctx: Context) -> None:
    ctx.progress(1)
    try:
        await asyncio.sleep(3600)
    finally:
        stopped.set()


@server.tool
def was_stopped() -> bool:
    return stopped.wait(5)


@server.tool
def grow(ctx: Context) -> str:
    ctx.server.register(Tool("grown", lambda: "new"))
    return "grown"


@server.tool
def touch(uri: str, ctx: Context) -> int:
    return ctx.server.resource_updated(uri)


@server.prompt(completions={"name": ["Ada", "Alan", "Grace"]})
def greet(name: str) -> str:
    return f"Hello {name}"


@server.resource("notes://today")
def today() -> str:
    return "sunny"


@server.resource("notes://{day}/summary", completions={"day": ["monday", "tuesday"]})
def summary(day: str) -> str:
    return f"{day} was fine"
'''


class Upstreams:
    """Programs that can be mounted."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._count = 0

    def __call__(self, program: str = PROGRAM) -> str:
        """A file with a server in it."""
        self._count += 1
        file = self._directory / f"upstream_{self._count}.py"
        file.write_text(textwrap.dedent(program), encoding="utf-8")
        return str(file)


def keepers() -> list[threading.Thread]:
    """The threads that keep the connections to upstreams."""
    named = "paddock-mount"
    return [thread for thread in threading.enumerate() if thread.name.startswith(named)]


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def wait_for_the_end() -> None:
    """Wait until no upstream is connected any more."""
    for thread in keepers():
        thread.join(PATIENCE)
    assert keepers() == []


@pytest.fixture
def upstream(tmp_path: Path) -> Iterator[Upstreams]:
    """Programs that can be mounted; that nothing of them stays behind is checked in the end."""
    yield Upstreams(tmp_path)
    wait_for_the_end()
