from secrets import randbelow

from paddock import Tool


def roll(sides: int = 6) -> int:
    """Roll a die."""
    return 1 + randbelow(sides)


tool = Tool("roll_dice", roll, title="Roll a die")
