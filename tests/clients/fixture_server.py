"""A server with something of everything, for client programs to try out.

Run as it is or served by `python -m paddock serve`. What it prints must never reach a client.
"""

import asyncio
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from paddock import Context, Prompt, PromptArgument, PromptMessage, Server, ToolError

LANGUAGES = ("Pascal", "Perl", "Python")
PEOPLE = {"ada": "Countess", "alan": "Professor", "grace": "Admiral"}
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c63f8cfc0f01f00050001ff89993d1d0000000049454e44ae426082"
)
PATIENCE = 30

server = Server(
    "fixture",
    version="3.2.1",
    title="The fixture",
    instructions="Try everything.",
)
stopped = {"wait": threading.Event(), "block": threading.Event()}
heard = threading.Event()


@dataclass
class Area:
    """The size of a rectangle."""

    size: float
    unit: str


@dataclass
class Order:
    """What a guest wants."""

    dish: str
    count: int
    size: Literal["small", "large"] = "small"


@server.tool
def echo(text: str) -> str:
    """Give a text back, and print it where it does not belong.

    Args:
        text: What to give back.
    """
    print("printed by echo:", text)
    return text


@server.tool(annotations={"readOnlyHint": True})
def measure(width: float, height: float, unit: str = "m²") -> Area:
    """Measure a rectangle."""
    return Area(width * height, unit)


@server.tool
def fail(reason: str) -> str:
    """Fail for a reason."""
    raise ToolError(reason)


@server.tool(mime_type="image/png")
def picture() -> bytes:
    """One pixel."""
    return PIXEL


@server.tool
def count(to: int, ctx: Context) -> int:
    """Count, saying how far it has come, and wait until that was heard."""
    for number in range(1, to + 1):
        ctx.progress(number, to, f"at {number}")
    heard.wait(PATIENCE)
    return to


@server.tool
def go_on() -> None:
    """Let `count` come to its end."""
    heard.set()


@server.tool
def chatter(ctx: Context) -> str:
    """Log at three levels."""
    ctx.debug("quiet")
    ctx.info({"words": 1})
    ctx.warning("loud")
    return "said"


@server.tool
async def order(ctx: Context) -> str:
    """Ask a guest what to bring."""
    wish = await ctx.elicit("What would you like?", Order)
    if wish.data is None:
        return wish.action
    return f"{wish.data.count} {wish.data.size} {wish.data.dish}"


@server.tool
def haggle(ctx: Context) -> str:
    """Ask a guest twice, one question after the other."""
    first = ctx.elicit("What would you like?", Order).wait()
    second = ctx.elicit("Anything else?", Order).wait()
    return f"{first.action}, {second.action}"


@server.tool
async def summarise(text: str, ctx: Context) -> str:
    """Have the client's model summarise a text."""
    answer = await ctx.sample(f"Summarise: {text}", max_tokens=50)
    return f"{answer.model} says {answer.text}"


@server.tool
async def places(ctx: Context) -> list[str]:
    """The directories that the client works in."""
    return [root.uri for root in await ctx.roots()]


@server.tool
async def wait(ctx: Context) -> None:
    """Wait for ever without holding anybody up."""
    ctx.progress(1)
    try:
        await asyncio.sleep(3600)
    finally:
        stopped["wait"].set()


@server.tool
def block(ctx: Context) -> None:
    """Hold up a thread for ever."""
    ctx.progress(1)
    try:
        while True:
            time.sleep(0.01)
    finally:
        stopped["block"].set()


@server.tool
def has_stopped(tool: Literal["wait", "block"]) -> bool:
    """Whether a called tool has finished."""
    return stopped[tool].wait(PATIENCE)


@server.tool
def grow(name: str) -> str:
    """Get a further tool."""
    server.tool(echo, name=name)
    return name


@server.tool
def touch(uri: str) -> int:
    """Say that a resource has changed; to how many clients."""
    return server.resource_updated(uri)


def languages(value: str, settled: dict[str, str]) -> Sequence[str]:
    """Languages that begin with what was typed; the experts' own first."""
    found = [language for language in LANGUAGES if language.lower().startswith(value.lower())]
    return found[::-1] if settled.get("expert") else found


def review(language: str, code: str = "pass") -> list[PromptMessage]:
    """Have code reviewed."""
    return [
        PromptMessage(f"Review this {language}:\n{code}"),
        PromptMessage("Gladly.", role="assistant"),
    ]


server.register(
    [
        Prompt("review", handler=review, completions={"language": languages}),
        Prompt(
            "translate",
            "Translate to {language}{?tone?, in a {tone} tone}.",
            description="Have something translated.",
            arguments=[PromptArgument("language", required=True), PromptArgument("tone")],
        ),
    ]
)


@server.resource("fixture://note", mime_type="text/plain")
def note() -> str:
    """A note with letters beyond ASCII."""
    return "Grüße ☃"


@server.resource("fixture://pixel", mime_type="image/png")
def pixel() -> bytes:
    """One pixel."""
    return PIXEL


@server.resource(
    "fixture://people/{name}",
    mime_type="application/json",
    completions={"name": tuple(PEOPLE)},
)
def person(name: str) -> dict[str, str]:
    """A person by name."""
    return {"name": name, "title": PEOPLE[name]}


if __name__ == "__main__":
    server.run()
