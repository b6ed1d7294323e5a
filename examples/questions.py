"""A server that talks back: progress, log messages, questions to the person and to the model."""

from dataclasses import dataclass
from typing import Literal

from paddock import Context, Server

server = Server("travel", version="1.0", instructions="Plans short trips.")


@dataclass
class Wishes:
    """What the traveller fills in."""

    days: int
    pace: Literal["calm", "busy"] = "calm"


@server.tool
async def plan_trip(city: str, ctx: Context) -> str:
    """Plan a trip with the person who asks for it."""
    wishes = await ctx.elicit(f"Your days in {city}", Wishes)
    if wishes.data is None:
        return "No trip, then."
    plan = []
    for day in range(1, wishes.data.days + 1):
        ctx.progress(day, wishes.data.days)
        idea = await ctx.sample(
            f"One {wishes.data.pace} thing to do in {city}, day {day}. Five words at most.",
            key=f"day-{day}",
        )
        plan.append(f"Day {day}: {idea.text}")
    ctx.info({"planned": city})
    return "\n".join(plan)


if __name__ == "__main__":
    server.run()
