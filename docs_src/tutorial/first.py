from paddock import Server

server = Server("kitchen", version="1.0")


@server.tool
def scale(amount: float, people: int, serves: int = 4) -> float:
    """Scale an amount in a recipe to another number of people.

    Args:
        amount: The amount given in the recipe.
        people: The number of people to cook for.
        serves: The number of people that the recipe serves.
    """
    return amount * people / serves


if __name__ == "__main__":
    server.run()
