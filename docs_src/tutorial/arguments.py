from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import Meta

from paddock import Server

server = Server("kitchen", version="1.0")

Unit = Literal["g", "ml", "piece"]
GRAMS = {"g": 1.0, "ml": 1.0, "piece": 60.0}


@dataclass
class Ingredient:
    name: str
    amount: Annotated[float, Meta(gt=0)]
    unit: Unit = "g"


@dataclass
class Weight:
    grams: float
    heaviest: str


@server.tool
def weigh(
    ingredients: Annotated[list[Ingredient], Meta(min_length=1)],
    people: Annotated[int, "The number of people to cook for."] = 4,
) -> Weight:
    """Return the total weight of the ingredients of a recipe for four."""
    grams = {item.name: item.amount * GRAMS[item.unit] for item in ingredients}
    total = sum(grams.values()) * people / 4
    return Weight(grams=total, heaviest=max(grams, key=grams.__getitem__))


if __name__ == "__main__":
    server.run()
