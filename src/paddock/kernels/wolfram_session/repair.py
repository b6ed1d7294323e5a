"""Code as it arrives: mended where it cannot be read and the slip is a common one.

Whoever writes code from memory of other languages quotes with `'`, comments with `//` and forgets a
bracket at the end. Each repair is tried only when the code cannot be read without it, and counts
only if all can be read with it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram import Source

_FENCE = re.compile(r"\s*```[\w+-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```\s*", re.DOTALL)
_LINE_COMMENT = re.compile(r"^([ \t]*)//[ \t]+(.*)$", re.MULTILINE)
_MOST_BRACKETS = 64


class Code(NamedTuple):
    """Code that was read, and what had to be done to it first."""

    source: Source
    repair: str = ""


def read_code(code: str) -> Code:
    """Read code, mended if need be; `source.problems` says what is wrong when nothing helped."""
    source = parse(code)
    if not source.problems:
        return Code(source)
    for name, mend in _REPAIRS:
        mended = mend(code)
        if mended is not None and not (found := parse(mended)).problems:
            return Code(found, name)
    return Code(source)


def _without_fence(code: str) -> str | None:
    found = _FENCE.fullmatch(code)
    return found[1] if found else None


def _with_double_quotes(code: str) -> str | None:
    return code.replace("'", '"') if "'" in code else None


def _with_comments(code: str) -> str | None:
    mended = _LINE_COMMENT.sub(lambda found: f"{found[1]}(* {_inside(found[2])} *)", code)
    return mended if mended != code else None


def _inside(text: str) -> str:
    """Text that can stand in a comment."""
    return text.replace("(*", "( *").replace("*)", "* )")


def _closed(code: str) -> str | None:
    """Code with brackets at its end, if those that are open there are square ones."""
    stripped = code.rstrip()
    for count in range(1, _MOST_BRACKETS):
        mended = stripped + "]" * count
        problems = parse(mended).problems
        if not problems:
            return mended
        if any(problem.message != "[ is not closed" for problem in problems):
            return None
    return None


_REPAIRS: tuple[tuple[str, Callable[[str], str | None]], ...] = (
    ("the fence around the code was removed", _without_fence),
    ("' was read as \"", _with_double_quotes),
    ("lines that begin with // were read as comments", _with_comments),
    ("missing ] were added at the end", _closed),
)
