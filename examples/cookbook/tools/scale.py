"""Fitting recipes to people."""


def scale(grams: float, people: int) -> int:
    """Scale an amount of a recipe, which is for four people."""
    return round(grams * people / 4)
