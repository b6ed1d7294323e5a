"""Separation of messages from prints in a Wolfram Language engine's output.

An engine that prints both to one stream preserves their order, unlike its separate lists of prints
and messages. Messages that the engine draws in two dimensions are converted to one line. The
boundaries between prints are lost, so each line counts as one print, unless the code shows that it
prints multiple lines at a time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.kernels.kernel import EvaluationOutput

if TYPE_CHECKING:
    from collections.abc import Sequence

_MESSAGE_START = re.compile(r"^[$\w`]+::\w+: ", re.MULTILINE)
_MESSAGE_BLOCK = re.compile(r"(?:^|\n)\n((?: +\S.*\n)?[$\w`]+::\w+: .*(?:\n +\S.*)?)(?:\n|\Z)")
"""A message as woxi prints it: an empty line, the text, and the parts of fractions around it."""

_MULTILINE_PRINT_CODE = re.compile(r'\bRun\b|"(?:[^"\\]|\\[^n])*(?:\n|\\n)')
"""Code that runs a program or contains a multiline string."""
MAX_PRINTS = 100
"""All lines beyond this number form one print, to limit the number of outputs."""


def parse_printed_output(text: str, messages: Sequence[str], code: str) -> list[EvaluationOutput]:
    """Split the printed output of an evaluation into printed texts and messages.

    Args:
        text: The output, in which messages appear between printed texts.
        messages: Messages that the engine reported, in order. The text may contain others.
        code: The code that was evaluated. If it may print multiple lines at a time, adjacent lines
            form one printed text.
    """
    max_prints = 1 if _MULTILINE_PRINT_CODE.search(code) else MAX_PRINTS
    outputs: list[EvaluationOutput] = []
    position = 0
    for message in messages:
        start = text.find(message, position)
        if start < 0:
            continue
        outputs += _split_unlisted_messages(text[position:start].removesuffix("\n"), max_prints)
        outputs.append(EvaluationOutput("message", flatten_message(message)))
        position = start + len(message)
        position += text.startswith("\n", position)
    return outputs + _split_unlisted_messages(text[position:], max_prints)


def _split_unlisted_messages(text: str, max_prints: int) -> list[EvaluationOutput]:
    """Split text into printed texts and messages, which are recognized by their form.

    An example of a message is `Power::infy: Infinite expression 1/0 encountered.`

    Args:
        text: A part of the output that contains none of the messages that the engine reported.
        max_prints: The maximum number of printed texts.
    """
    outputs: list[EvaluationOutput] = []
    position = 0
    for block in _MESSAGE_BLOCK.finditer(text):
        prints = text[position : block.start(1)].removesuffix("\n")
        outputs += _split_prints(prints, max_prints)
        outputs.append(EvaluationOutput("message", flatten_message(block[1])))
        position = block.end()
    return outputs + _split_prints(text[position:], max_prints)


def flatten_message(message: str) -> str:
    """Convert a message with fractions drawn across three lines to a single line.

    The lines above and below the text of the message contain the numerators (or powers) and the
    denominators. They are inserted into the text, for instance as `1/0`.
    """
    lines = message.split("\n")
    text_index = next((n for n, line in enumerate(lines) if _MESSAGE_START.match(line)), None)
    if text_index is None or len(lines) == 1:
        return message.strip()
    above = lines[text_index - 1] if text_index else ""
    below = lines[text_index + 1] if text_index + 1 < len(lines) else ""
    # Lines without indentation are message text, not numerators or denominators.
    if (above and above.strip() == above) or (below and below.strip() == below):
        return message.strip()
    following = lines[text_index + 2 :]
    return "\n".join([_inline_fractions(lines[text_index], above, below), *following]).strip()


def _inline_fractions(line: str, above: str, below: str) -> str:
    """Insert the texts above and below a line into the line.

    Texts above each other become a fraction `a/b`, text only above the line becomes a power `^a`,
    and text only below it becomes an index `_b`.
    """
    width = max(len(line), len(above), len(below))
    line, above, below = line.ljust(width), above.ljust(width), below.ljust(width)
    parts: list[str] = []
    position = 0
    for start, end in _find_occupied_columns(above, below):
        upper, lower = above[start:end].strip(), below[start:end].strip()
        parts.append(line[position:start])
        if upper and lower:
            parts.append(f"{_parenthesize(upper)}/{_parenthesize(lower)}")
        elif upper:
            parts.append(f"^{_parenthesize(upper)}")
        else:
            parts.append(f"_{_parenthesize(lower)}")
        position = end
    return "".join([*parts, line[position:]]).rstrip()


def _find_occupied_columns(above: str, below: str) -> list[tuple[int, int]]:
    """Return the column ranges with text above or below the line."""
    columns = "".join(" " if a == b == " " else "x" for a, b in zip(above, below, strict=True))
    return [match.span() for match in re.finditer(r"x+(?: x+)*", columns)]


def _parenthesize(text: str) -> str:
    return text if re.fullmatch(r"[\w$.]+", text) else f"({text})"


def _split_prints(text: str, max_prints: int) -> list[EvaluationOutput]:
    if not text.strip("\n"):
        return []
    lines = text.removesuffix("\n").split("\n", max_prints - 1)
    return [EvaluationOutput("print", line) for line in lines]
