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

    from paddock.wolfram import ParsedSource

_CODE_FENCE = re.compile(r"\s*```[\w+-]*[ \t]*\r?\n(.*?)\r?\n?[ \t]*```\s*", re.DOTALL)
_LINE_COMMENT = re.compile(r"^([ \t]*)//[ \t]+(.*)$", re.MULTILINE)
_MAX_ADDED_BRACKETS = 64


class RepairedCode(NamedTuple):
    """Code that was read, and what had to be done to it first."""

    source: ParsedSource
    repair: str = ""


def parse_code(code: str) -> RepairedCode:
    """Read code, mended if need be; `source.problems` says what is wrong when nothing helped."""
    source = parse(code)
    if not source.problems:
        return RepairedCode(source)
    for name, mend in _REPAIRS:
        mended = mend(code)
        if mended is not None and not (found := parse(mended)).problems:
            return RepairedCode(found, name)
    return RepairedCode(source)


def _strip_fence(code: str) -> str | None:
    found = _CODE_FENCE.fullmatch(code)
    return found[1] if found else None


def _replace_quotes(code: str) -> str | None:
    return code.replace("'", '"') if "'" in code else None


def _convert_comments(code: str) -> str | None:
    mended = _LINE_COMMENT.sub(lambda found: f"{found[1]}(* {_escape_comment(found[2])} *)", code)
    return mended if mended != code else None


def _escape_comment(text: str) -> str:
    """Text that can stand in a comment."""
    return text.replace("(*", "( *").replace("*)", "* )")


def _close_brackets(code: str) -> str | None:
    """Code with brackets at its end, if those that are open there are square ones."""
    stripped = code.rstrip()
    for count in range(1, _MAX_ADDED_BRACKETS):
        mended = stripped + "]" * count
        problems = parse(mended).problems
        if not problems:
            return mended
        if any(problem.message != "[ is not closed" for problem in problems):
            return None
    return None


_REPAIRS: tuple[tuple[str, Callable[[str], str | None]], ...] = (
    ("the fence around the code was removed", _strip_fence),
    ("' was read as \"", _replace_quotes),
    ("lines that begin with // were read as comments", _convert_comments),
    ("missing ] were added at the end", _close_brackets),
)
