"""A server of the official Python SDK over HTTP: `python official_http.py json|sse PORT`."""

import asyncio
import sys

import uvicorn
from mcp.server.mcpserver import Context, MCPServer  # type: ignore[import-not-found]
from pydantic import BaseModel

server = MCPServer("official", version="2.3.0", instructions="Try everything.")


class Name(BaseModel):
    """What a guest fills in."""

    name: str


def echo(text: str) -> str:
    """Give a text back."""
    return text


def fail() -> str:
    """Report an error."""
    raise ValueError("on purpose")


async def count(to: int, ctx: Context) -> str:
    """Report progress on the way."""
    for number in range(1, to + 1):
        await ctx.report_progress(number, to)
    return "counted"


async def wait(seconds: float) -> str:
    """Take some time."""
    await asyncio.sleep(seconds)
    return "waited"


async def ask(ctx: Context) -> str:
    """Ask the client for a name."""
    answer = await ctx.elicit("Who are you?", Name)
    return str(answer.data.name if answer.action == "accept" else answer.action)


def greeting(name: str) -> str:
    """Greet someone."""
    return f"Say hello to {name}"


def rules() -> str:
    """The rules."""
    return "Be kind."


for tool in (echo, fail, count, wait, ask):
    server.add_tool(tool)
server.prompt()(greeting)
server.resource("memo://rules")(rules)

if __name__ == "__main__":
    app = server.streamable_http_app(json_response=sys.argv[1] == "json")
    uvicorn.run(app, port=int(sys.argv[2]), log_level="warning")
