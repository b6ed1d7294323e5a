"""How the answer to an evaluation reads: single lines, failures, what to cut."""

from __future__ import annotations

from paddock.wolfram import string

MESSAGES_NOTE = (
    "General::messages: Messages were generated during the evaluation that may indicate errors."
)
MIN_TEXT_CHARACTERS = 10
MAX_MESSAGE_CHARACTERS = 1000
"""Characters of one message."""
_ELLIPSIS = " ... "


def truncate_text(text: str, limit: int) -> str:
    """Text with its middle left out, if it is longer than a limit allows."""
    limit = max(limit, MIN_TEXT_CHARACTERS)
    if len(text) <= limit + len(_ELLIPSIS):
        return text
    return f"{text[: limit // 2 - 2]}{_ELLIPSIS}{text[-((limit + 1) // 2 - 3) :]}"


def format_print(line: int, text: str) -> str:
    """Something that was printed."""
    return f"During evaluation of In[{line}]:= {text}"


def format_out_label(line: int, result: str) -> str:
    """What stands before a result: on the same line, or on one of its own."""
    return f"Out[{line}]=\n" if "\n" in result else f"Out[{line}]= "


def format_failure(tag: str, message: str, **facts: str) -> str:
    """A `Failure` in InputForm; `facts` are InputForm too."""
    parts = {
        "MessageTemplate": string(message).text,
        "MessageParameters": "<||>",
        **facts,
    }
    inside = ", ".join(f'"{name}" -> {value}' for name, value in parts.items())
    return f'Failure["{tag}", <|{inside}|>]'
