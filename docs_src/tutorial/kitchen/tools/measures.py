def scale(amount: float, people: int, serves: int = 4) -> float:
    """Scale an amount in a recipe to another number of people."""
    return amount * people / serves


def fahrenheit(celsius: float) -> float:
    """Convert the temperature of an oven."""
    return celsius * 9 / 5 + 32
