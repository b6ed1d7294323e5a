from typing import Any

from paddock import Context


def warm_up() -> None:
    """Do the work that is needed once before the first call."""


def shout(arguments: dict[str, Any], ctx: Context) -> str:
    marks = min(arguments.get("marks", 1), ctx.options["most_marks"])
    return f"{arguments['text'].upper()}{'!' * marks}"


def repeat(arguments: dict[str, Any]) -> str:
    return " ".join([arguments["text"]] * arguments.get("times", 2))


def explain(arguments: dict[str, str]) -> str:
    readers = arguments.get("readers", "children")
    return f"Explain {arguments['topic']} to {readers}."
