"""Tools, resources and a prompt that exercise the features of an MCP client.

Notes are kept in memory until the server ends. Reading them as a resource shows subscriptions.
"""

from __future__ import annotations

import random
import struct
import time
import zlib
from collections import deque
from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from paddock.authoring.context import Context
from paddock.authoring.handler_errors import ToolError
from paddock.authoring.prompt import Prompt, PromptArgument
from paddock.authoring.resource import Resource, ResourceTemplate
from paddock.authoring.tool import Option, Tool
from paddock.protocol.content import ImageContent, ResourceLink, TextContent

GreetingLanguage = Literal["English", "French", "German", "Italian", "Spanish"]
GREETINGS: dict[GreetingLanguage, str] = {
    "English": "Hello",
    "French": "Bonjour",
    "German": "Guten Tag",
    "Italian": "Buongiorno",
    "Spanish": "Buenos días",
}
READ_ONLY_ANNOTATIONS = {"readOnlyHint": True, "openWorldHint": False}
PICTURE_SQUARES = 8  # On each side of an image.


@dataclass
class Roll:
    """The result of a roll."""

    dice: list[int]
    total: int


def greet(name: str, language: GreetingLanguage = "English") -> str:
    """Return a greeting.

    Args:
        name: The name of the person to greet.
        language: The language of the greeting.
    """
    return f"{GREETINGS[language]}, {name}!"


def roll_dice(
    ctx: Context,
    count: Annotated[int, Meta(ge=1)] = 2,
    sides: Annotated[int, Meta(ge=2, le=100)] = 6,
) -> Roll:
    """Roll dice.

    Args:
        count: The number of dice.
        sides: The number of sides of each die.
    """
    max_dice = ctx.options["most_dice"]
    if count > max_dice:
        raise ToolError(f"{count} dice are too many: at most {max_dice}")
    dice = [random.randint(1, sides) for _ in range(count)]
    return Roll(dice, sum(dice))


def draw_picture(
    seed: str, scale: Annotated[int, Meta(ge=1, le=64)] = 16
) -> list[TextContent | ImageContent]:
    """Draw an image. The same seed always gives the same image.

    Args:
        seed: The text that determines the image.
        scale: The side of a square in pixels.
    """
    pixels = _generate_pattern(seed)
    side = PICTURE_SQUARES * scale
    # In PNG, each row begins with the number of its filter: 0 means that it is not filtered.
    rows = [
        b"\0" + b"".join(bytes(pixels[row // scale][column // scale]) for column in range(side))
        for row in range(side)
    ]
    return [
        TextContent(f"An image for {seed!r}."),
        ImageContent(_encode_png(side, rows), "image/png"),
    ]


def raise_failure(reason: str = "this tool always fails") -> str:
    """Always fail, to show how a client displays errors.

    Args:
        reason: The error message.
    """
    raise ToolError(f"The tool failed: {reason}")


def _generate_pattern(seed: str) -> list[list[tuple[int, int, int]]]:
    """Return the rows of a symmetric pattern: random squares and their mirror image.

    Each square is a color `(red, green, blue)`. The same seed always gives the same pattern.
    """
    generator = random.Random(seed)
    ink = (generator.randrange(200), generator.randrange(200), generator.randrange(200))
    paper = (250, 245, 235)
    left_half = [
        [generator.choice((ink, paper)) for _ in range(PICTURE_SQUARES // 2)]
        for _ in range(PICTURE_SQUARES)
    ]
    return [[*row, *reversed(row)] for row in left_half]


def _encode_png(side: int, rows: list[bytes]) -> bytes:
    """Encode a square image as PNG.

    Args:
        side: The width and height in pixels.
        rows: The rows of the image: three bytes for each pixel, after the byte of the row's filter.
    """

    def encode_chunk(kind: bytes, data: bytes) -> bytes:
        checksum = zlib.crc32(kind + data)
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)

    # 8 bits per channel, RGB, and the standard methods of compression, filtering and interlacing.
    header = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(b"".join(rows))), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(encode_chunk(kind, data) for kind, data in chunks)


greet_tool = Tool("greet", greet, title="Greet", annotations=READ_ONLY_ANNOTATIONS)
roll_dice_tool = Tool(
    "roll_dice",
    roll_dice,
    title="Roll dice",
    annotations=READ_ONLY_ANNOTATIONS,
    options={"most_dice": 100},
)
draw_picture_tool = Tool(
    "draw_picture",
    draw_picture,
    title="Draw a picture",
    annotations=READ_ONLY_ANNOTATIONS,
    return_type=list[TextContent | ImageContent],
)
fail_tool = Tool("fail", raise_failure, title="Fail", annotations=READ_ONLY_ANNOTATIONS)


MAX_NOTES = 50
NOTES_URI = "demo://notes"

_notes: deque[str] = deque(maxlen=MAX_NOTES)


def keep_note(
    text: Annotated[str, Meta(min_length=1, max_length=500)], ctx: Context
) -> list[TextContent | ResourceLink]:
    """Save a note until the server ends.

    Args:
        text: The note.
    """
    _notes.append(text)
    ctx.server.resource_updated(NOTES_URI)
    return [TextContent(f"Saved as number {len(_notes)}."), ResourceLink(NOTES_URI, "notes")]


def list_notes() -> str:
    """Return the saved notes as a Markdown list."""
    return "\n".join(f"- {note}" for note in _notes) or "No notes yet."


keep_note_tool = Tool(
    "keep_note",
    keep_note,
    title="Keep a note",
    annotations={"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False},
    return_type=list[TextContent | ResourceLink],
)
notes_resource = Resource(
    NOTES_URI, list_notes, name="notes", title="Notes", mime_type="text/markdown"
)


@dataclass
class Favourite:
    """The form of `ask_person`."""

    animal: Annotated[str, Meta(description="Your favourite animal", max_length=40)]
    time_of_day: Literal["morning", "noon", "evening"] = "morning"


async def ask_person(ctx: Context) -> str:
    """Ask the user to fill in a form about their favourite animal."""
    answer = await ctx.elicit("Which animal do you like best?", Favourite)
    if answer.data is None:
        return f"The user did not answer ({answer.action})."
    return f"They like {answer.data.animal} best, in the {answer.data.time_of_day}."


async def ask_model(question: str, ctx: Context) -> str:
    """Ask the client's model a question.

    Args:
        question: The question.
    """
    answer = await ctx.sample(question, max_tokens=200)
    return answer.text


async def show_workspace(ctx: Context) -> list[str]:
    """Return the URIs of the client's roots."""
    return [root.uri for root in await ctx.roots()]


def count_slowly(ctx: Context, up_to: Annotated[int, Meta(ge=1, le=60)] = 5) -> str:
    """Count slowly and report progress. Can be cancelled or run as a task.

    Args:
        up_to: The last number.
    """
    for number in range(1, up_to + 1):
        time.sleep(ctx.options["seconds_per_step"])
        if ctx.is_cancelled:
            return f"Stopped at {number}."
        ctx.progress(number, up_to, f"{number} of {up_to}")
        ctx.debug({"counted": number})
    return f"Counted to {up_to}."


ask_person_tool = Tool("ask_person", ask_person, title="Ask the person")
ask_model_tool = Tool("ask_model", ask_model, title="Ask the model")
show_workspace_tool = Tool(
    "show_workspace", show_workspace, title="Show the workspace", annotations={"readOnlyHint": True}
)
count_slowly_tool = Tool(
    "count_slowly",
    count_slowly,
    title="Count slowly",
    annotations={"readOnlyHint": True},
    task="optional",
    options={
        "seconds_per_step": Option(
            0.5, Annotated[float, Meta(ge=0, le=10)], "Delay before each number, in seconds"
        )
    },
)


ANIMAL_FACTS = {
    "alpaca": "Alpacas hum when they are curious, and agree with one another most of the time.",
    "donkey": "Donkeys stop when something is not clear to them: a good rule for agents too.",
    "goat": "Goats open gates. Their keepers learn to check every latch twice.",
    "horse": "Horses sleep standing up, and are awake before anything has happened.",
    "sheep": "Sheep know some fifty faces of other sheep, and remember them for years.",
}
TOUR_THEMES = ["answers", "questions", "progress", "resources"]

TOUR_TEXT = """\
Show me what the Demo server can do{?theme?, in particular {theme}}.

Go step by step: call one tool, say in a sentence what it demonstrates, then continue. Begin with
`greet`. Use `roll_dice` for data, `draw_picture` for an image, `count_slowly` for progress,
`ask_person` for a form, `keep_note` and the resource demo://notes for a resource that changes. Skip
what your client does not support. End with one sentence about what else these parts could build."""


def describe_server() -> str:
    """Return a description of the Demo server."""
    return (
        "# Demo\n\nA server with harmless tools, a prompt and some resources. No data leaves this "
        "process.\n\nAnimals: " + ", ".join(ANIMAL_FACTS) + "\n"
    )


def get_animal_fact(name: str) -> str:
    """Return a fact about an animal."""
    fact = ANIMAL_FACTS.get(name.lower())
    if fact is None:
        raise ToolError(f"unknown animal {name!r}: expected one of {', '.join(ANIMAL_FACTS)}")
    return fact


about_resource = Resource(
    "demo://about",
    describe_server,
    name="about",
    title="About this server",
    mime_type="text/markdown",
)
animal_template = ResourceTemplate(
    "demo://animals/{name}",
    get_animal_fact,
    name="animal",
    title="An animal",
    mime_type="text/plain",
    completions={"name": list(ANIMAL_FACTS)},
)
tour_prompt = Prompt(
    "tour",
    TOUR_TEXT,
    title="Tour",
    description="Have the model demonstrate this server",
    arguments=[PromptArgument("theme", f"The focus of the tour: {', '.join(TOUR_THEMES)}")],
    completions={"theme": TOUR_THEMES},
)
