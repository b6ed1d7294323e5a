"""Tools that simply answer: text, data, a picture, an error."""

from __future__ import annotations

import random
import struct
import zlib
from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.failures import ToolError
from paddock.authoring.tool import Tool
from paddock.protocol.model.content import ImageContent, TextContent

GreetingLanguage = Literal["English", "French", "German", "Italian", "Spanish"]
GREETINGS: dict[GreetingLanguage, str] = {
    "English": "Hello",
    "French": "Bonjour",
    "German": "Guten Tag",
    "Italian": "Buongiorno",
    "Spanish": "Buenos días",
}
READ_ONLY_ANNOTATIONS = {"readOnlyHint": True, "openWorldHint": False}
PICTURE_SQUARES = 8
"""Squares on each side of a picture."""


@dataclass
class Roll:
    """What was rolled."""

    dice: list[int]
    total: int


def greet(name: str, language: GreetingLanguage = "English") -> str:
    """Greet somebody.

    Args:
        name: Whom to greet.
        language: In which language.
    """
    return f"{GREETINGS[language]}, {name}!"


def roll_dice(
    ctx: Context,
    count: Annotated[int, Meta(ge=1)] = 2,
    sides: Annotated[int, Meta(ge=2, le=100)] = 6,
) -> Roll:
    """Roll dice.

    Args:
        count: How many dice.
        sides: How many sides each has.
    """
    most = ctx.options["most_dice"]
    if count > most:
        raise ToolError(f"{count} dice are too many: at most {most}")
    dice = [random.randint(1, sides) for _ in range(count)]  # noqa: S311 - a game
    return Roll(dice, sum(dice))


def draw_picture(
    seed: str, scale: Annotated[int, Meta(ge=1, le=64)] = 16
) -> list[TextContent | ImageContent]:
    """Draw a picture, always the same one for the same seed.

    Args:
        seed: What the picture is made from.
        scale: How many pixels a square has on each side.
    """
    pixels = _generate_pattern(seed)
    side = PICTURE_SQUARES * scale
    rows = [
        b"\0" + b"".join(bytes(pixels[row // scale][column // scale]) for column in range(side))
        for row in range(side)
    ]
    return [TextContent(f"A picture for {seed!r}."), ImageContent(_encode_png(side, rows), "image/png")]


def raise_failure(reason: str = "this tool always fails") -> str:
    """Fail, so that one can see how a client shows it.

    Args:
        reason: What to say.
    """
    raise ToolError(f"It did not work: {reason}")


def _generate_pattern(seed: str) -> list[list[tuple[int, int, int]]]:
    """A symmetric pattern in two colours."""
    choice = random.Random(seed)  # noqa: S311 - a picture
    ink = (choice.randrange(200), choice.randrange(200), choice.randrange(200))
    paper = (250, 245, 235)
    half = [[choice.choice((ink, paper)) for _ in range(PICTURE_SQUARES // 2)] for _ in range(PICTURE_SQUARES)]
    return [[*row, *reversed(row)] for row in half]


def _encode_png(side: int, rows: list[bytes]) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        check = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", check)

    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    pieces = ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(rows))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunk(kind, data) for kind, data in pieces)


greet_tool = Tool("greet", greet, title="Greet", annotations=READ_ONLY_ANNOTATIONS)
roll_dice_tool = Tool(
    "roll_dice", roll_dice, title="Roll dice", annotations=READ_ONLY_ANNOTATIONS, options={"most_dice": 100}
)
draw_picture_tool = Tool(
    "draw_picture",
    draw_picture,
    title="Draw a picture",
    annotations=READ_ONLY_ANNOTATIONS,
    return_type=list[TextContent | ImageContent],
)
fail_tool = Tool("fail", raise_failure, title="Fail", annotations=READ_ONLY_ANNOTATIONS)
