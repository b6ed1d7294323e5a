"""Telling messages from prints in what an engine of the Wolfram Language has printed.

An engine that prints both on the same stream keeps them in order, which its separate lists of
prints and messages do not. Messages that it draws in two dimensions become text on one line. Where
one print ends and the next begins it does not say: each line counts as a print of its own, unless
the code shows that it prints several at a time.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.kernels.kernel import EvaluationOutput

if TYPE_CHECKING:
    from collections.abc import Sequence

_MESSAGE_START = re.compile(r"^[$\w`]+::\w+: ", re.MULTILINE)
_MESSAGE_BLOCK = re.compile(r"(?:^|\n)\n((?: +\S.*\n)?[$\w`]+::\w+: .*(?:\n +\S.*)?)(?:\n|\Z)")
"""A message as woxi prints it: an empty line, the text, and parts of fractions around it."""

_MULTILINE_PRINT_CODE = re.compile(r'\bRun\b|"(?:[^"\\]|\\[^n])*(?:\n|\\n)')
"""Code that runs programs, or has a text of several lines."""
MAX_PRINTS = 100
"""What is printed after so many lines is one print, since each takes room."""


def parse_printed_output(text: str, messages: Sequence[str], code: str) -> list[EvaluationOutput]:
    """Prints and messages in order; `messages` are texts that are known to be such, not all."""
    most = 1 if _MULTILINE_PRINT_CODE.search(code) else MAX_PRINTS
    found: list[EvaluationOutput] = []
    place = 0
    for message in messages:
        start = text.find(message, place)
        if start < 0:
            continue
        found += _split_unlisted_messages(text[place:start].removesuffix("\n"), most)
        found.append(EvaluationOutput("message", flatten_message(message)))
        place = start + len(message)
        place += text.startswith("\n", place)
    return found + _split_unlisted_messages(text[place:], most)


def _split_unlisted_messages(text: str, most: int) -> list[EvaluationOutput]:
    """Prints, and messages that only look like such."""
    found: list[EvaluationOutput] = []
    place = 0
    for block in _MESSAGE_BLOCK.finditer(text):
        found += _split_prints(text[place : block.start(1)].removesuffix("\n"), most)
        found.append(EvaluationOutput("message", flatten_message(block[1])))
        place = block.end()
    return found + _split_prints(text[place:], most)


def flatten_message(message: str) -> str:
    """A message without fractions and powers that stand above and below its line."""
    lines = message.split("\n")
    middle = next((n for n, line in enumerate(lines) if _MESSAGE_START.match(line)), None)
    if middle is None or len(lines) == 1:
        return message.strip()
    above = lines[middle - 1] if middle else ""
    below = lines[middle + 1] if middle + 1 < len(lines) else ""
    if (above and above.strip() == above) or (below and below.strip() == below):
        return message.strip()  # lines of text, not of a drawing
    rest = lines[middle + 2 :]
    return "\n".join([_inline_fractions(lines[middle], above, below), *rest]).strip()


def _inline_fractions(line: str, above: str, below: str) -> str:
    """Put what stands above and below a line into it."""
    width = max(len(line), len(above), len(below))
    line, above, below = line.ljust(width), above.ljust(width), below.ljust(width)
    parts: list[str] = []
    place = 0
    for start, end in _find_columns(above, below):
        over, under = above[start:end].strip(), below[start:end].strip()
        parts.append(line[place:start])
        if over and under:
            parts.append(f"{_parenthesize(over)}/{_parenthesize(under)}")
        elif over:
            parts.append(f"^{_parenthesize(over)}")
        else:
            parts.append(f"_{_parenthesize(under)}")
        place = end
    return "".join([*parts, line[place:]]).rstrip()


def _find_columns(above: str, below: str) -> list[tuple[int, int]]:
    """Where something stands above or below, as ranges of columns."""
    taken = "".join(" " if a == b == " " else "x" for a, b in zip(above, below, strict=True))
    return [match.span() for match in re.finditer(r"x+(?: x+)*", taken)]


def _parenthesize(text: str) -> str:
    return text if re.fullmatch(r"[\w$.]+", text) else f"({text})"


def _split_prints(text: str, most: int) -> list[EvaluationOutput]:
    if not text.strip("\n"):
        return []
    return [
        EvaluationOutput("print", line) for line in text.removesuffix("\n").split("\n", most - 1)
    ]
