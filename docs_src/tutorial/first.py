from paddock import Server

server = Server("kitchen", version="1.0")


@server.tool
def scale(amount: float, people: int, serves: int = 4) -> float:
    """Scale an amount in a recipe to another number of people.

    Args:
        amount: The amount that the recipe names.
        people: How many people are to be fed.
        serves: How many people the recipe is for.
    """
    return amount * people / serves


if __name__ == "__main__":
    server.run()
