from paddock import Server

server = Server("kitchen", version="1.0", instructions="Recipes are resources: recipe://{name}.")

RECIPES = {
    "pancakes": "200 g flour, 400 ml milk, 3 eggs. Mix, rest, fry.",
    "omelette": "6 eggs, a spoon of butter. Whisk, fry, fold.",
}


@server.prompt
def menu(guests: int, occasion: str = "dinner") -> str:
    """Plan a menu.

    Args:
        guests: The number of guests.
        occasion: The occasion for the meal.
    """
    return f"Suggest a menu for {guests} people. The occasion: {occasion}."


@server.resource("recipe://index", mime_type="application/json")
def index() -> list[str]:
    """List the names of all recipes."""
    return sorted(RECIPES)


@server.resource("recipe://{name}", completions={"name": sorted(RECIPES)})
def recipe(name: str) -> str:
    """Return one recipe."""
    return RECIPES[name]


if __name__ == "__main__":
    server.run()
