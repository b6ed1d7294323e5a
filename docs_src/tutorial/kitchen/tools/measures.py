def scale(amount: float, people: int, serves: int = 4) -> float:
    """Scale an amount in a recipe to another number of people."""
    return amount * people / serves


def fahrenheit(celsius: float) -> float:
    """Convert an oven temperature from Celsius to Fahrenheit."""
    return celsius * 9 / 5 + 32
