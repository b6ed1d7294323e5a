"""Tools that turn to the client: the person, the model, the directories, progress."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.option import Option
from paddock.authoring.tool import Tool


@dataclass
class Favourite:
    """What the person is asked."""

    animal: Annotated[str, Meta(description="Your favourite animal", max_length=40)]
    time_of_day: Literal["morning", "noon", "evening"] = "morning"


async def ask_person(ctx: Context) -> str:
    """Ask the person at the client for their favourite animal."""
    answer = await ctx.elicit("Which animal do you like best?", Favourite)
    if answer.data is None:
        return f"They did not say ({answer.action})."
    return f"They like {answer.data.animal} best, in the {answer.data.time_of_day}."


async def ask_model(question: str, ctx: Context) -> str:
    """Have the client's own model answer a question.

    Args:
        question: What to ask.
    """
    answer = await ctx.sample(question, max_tokens=200)
    return answer.text


async def show_workspace(ctx: Context) -> list[str]:
    """Tell in which directories the client works."""
    return [root.uri for root in await ctx.roots()]


def count_slowly(ctx: Context, up_to: Annotated[int, Meta(ge=1, le=60)] = 5) -> str:
    """Count, saying how far it is; can be stopped, and can go on in the background.

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
            0.5, Annotated[float, Meta(ge=0, le=10)], "How long each number takes"
        )
    },
)
