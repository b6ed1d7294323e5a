from paddock import create_server

PLANTS: dict[str, int] = {}


def load_plants() -> None:
    PLANTS.update(rose=3, oak=1)


def plants() -> list[str]:
    """List the plants of the garden."""
    return sorted(PLANTS)


def plant(name: str, count: int = 1) -> int:
    """Plant something and return the new count."""
    PLANTS[name] = PLANTS.get(name, 0) + count
    return PLANTS[name]


def visit(guest: str) -> str:
    """Show a guest the garden."""
    return f"Show {guest} the garden. Name every plant in it."


if __name__ == "__main__":
    server = create_server(
        "Garden",
        tools=[plants, plant, "DemoDice"],
        prompts=[visit],
        initialization=load_plants,
        options={"roll_dice": {"most_dice": 6}},
        instructions="Look at the plants before you plant more.",
        overwrite=True,
    )
    print(server.json_configuration)
