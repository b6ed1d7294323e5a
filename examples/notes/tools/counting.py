"""A tool as an object, with its parameters spelt out."""

from typing import Any

from paddock import Parameter, Tool


def _count(arguments: dict[str, Any]) -> str:
    text, unit = arguments["text"], arguments["unit"]
    return f"{len(text.split() if unit == 'words' else text)} {unit}"


count = Tool(
    "count",
    _count,
    description="Count the words or characters of a text.",
    parameters=[
        Parameter("text", "string", "What to count", required=True),
        Parameter("unit", "string", "words or characters", default="words"),
    ],
)
