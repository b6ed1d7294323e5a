"""How the answer to an evaluation reads: single lines, failures, what to cut."""

from __future__ import annotations

from paddock.wolfram import string

MANY_MESSAGES = (
    "General::messages: Messages were generated during the evaluation that may indicate errors."
)
LEAST_LIMIT = 10
MESSAGE_LIMIT = 1000
"""Characters of one message."""
_GAP = " ... "


def truncated(text: str, limit: int) -> str:
    """Text with its middle left out, if it is longer than a limit allows."""
    limit = max(limit, LEAST_LIMIT)
    if len(text) <= limit + len(_GAP):
        return text
    return f"{text[: limit // 2 - 2]}{_GAP}{text[-((limit + 1) // 2 - 3) :]}"


def print_line(line: int, text: str) -> str:
    """Something that was printed."""
    return f"During evaluation of In[{line}]:= {text}"


def out_label(line: int, result: str) -> str:
    """What stands before a result: on the same line, or on one of its own."""
    return f"Out[{line}]=\n" if "\n" in result else f"Out[{line}]= "


def failure(tag: str, message: str, **facts: str) -> str:
    """A `Failure` in InputForm; `facts` are InputForm too."""
    parts = {
        "MessageTemplate": string(message).text,
        "MessageParameters": "<||>",
        **facts,
    }
    inside = ", ".join(f'"{name}" -> {value}' for name, value in parts.items())
    return f'Failure["{tag}", <|{inside}|>]'
