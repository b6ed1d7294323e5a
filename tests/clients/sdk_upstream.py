"""A server on the official Python SDK, of either of its versions, for tests that mount it."""

import base64

from pydantic import BaseModel

try:
    from mcp.server.mcpserver import Context, Image, MCPServer  # type: ignore[import-not-found]
except ImportError:  # version 1
    from mcp.server.fastmcp import Context, Image  # type: ignore[import-not-found]
    from mcp.server.fastmcp import FastMCP as MCPServer

PICTURE = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

server = MCPServer("official")


class Person(BaseModel):
    name: str


@server.tool()  # type: ignore[untyped-decorator]  # not installed here
def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


@server.tool()  # type: ignore[untyped-decorator]  # not installed here
def picture() -> Image:
    """One pixel."""
    return Image(data=PICTURE, format="png")


@server.tool()  # type: ignore[untyped-decorator]  # not installed here
async def greet(ctx: Context) -> str:
    """Ask for a name."""
    answer = await ctx.elicit("Name?", Person)
    return f"Hello, {answer.data.name}"


@server.tool()  # type: ignore[untyped-decorator]  # not installed here
async def steps(ctx: Context) -> str:
    """Report progress."""
    for step in range(3):
        await ctx.report_progress(step + 1, 3)
    return "done"


@server.tool()  # type: ignore[untyped-decorator]  # not installed here
def fail() -> str:
    """Fail."""
    raise ValueError("no such luck")


@server.prompt()  # type: ignore[untyped-decorator]  # not installed here
def letter(name: str) -> str:
    """Begin a letter."""
    return f"Dear {name}"


@server.resource("notes://{day}")  # type: ignore[untyped-decorator]  # not installed here
def note(day: str) -> str:
    """The note of a day."""
    return f"{day} was fine"


server.run()
