# region: progress
from dataclasses import dataclass

from paddock import Context, Server, ToolError

server = Server("kitchen", version="1.0")


@server.tool
async def bake(trays: int, ctx: Context) -> str:
    """Bake some trays of biscuits, one after the other."""
    for tray in range(1, trays + 1):
        ctx.info(f"Tray {tray} is in the oven.")
        ctx.progress(tray, total=trays)
    return f"{trays} trays are done."


# endregion


# region: elicit
@dataclass
class Diet:
    vegetarian: bool
    allergies: str = ""


@server.tool
async def suggest(dish: str, ctx: Context) -> str:
    """Suggest a variant of a dish that fits the user's diet."""
    answer = await ctx.elicit("What do you eat?", Diet)
    if answer.data is None:
        raise ToolError("Cannot suggest a dish without knowing the user's diet.")
    kind = "vegetarian" if answer.data.vegetarian else "classic"
    avoid = f", without {answer.data.allergies}" if answer.data.allergies else ""
    return f"{dish}, {kind}{avoid}"


# endregion


# region: sample
@server.tool
def name_dish(ingredients: list[str], ctx: Context) -> str:
    """Have the client's model invent a name for a dish."""
    question = f"Name a dish made of {', '.join(ingredients)}. Answer with the name only."
    return ctx.sample(question, max_tokens=30).wait().text


# endregion

if __name__ == "__main__":
    server.run()
