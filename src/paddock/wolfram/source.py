"""What becomes of a source text: its expressions, and what is wrong with it and where."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import PaddockError

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression

_LINE_END = re.compile(r"\r\n?|\n")


class WolframSyntaxError(PaddockError):
    """Wolfram Language text cannot be read."""

    code = "wolfram-syntax"


class Problem(NamedTuple):
    """Something that is wrong with a source, and where."""

    message: str
    start: int
    end: int


class Source:
    """A source text, and what became of it.

    `expressions` are those at the top level, `problems` what is wrong, in the order of their
    places, `comments` where comments begin and end.
    """

    __slots__ = ("_lines", "comments", "expressions", "problems", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.expressions: list[Expression] = []
        self.problems: list[Problem] = []
        self.comments: list[tuple[int, int]] = []
        self._lines: list[int] | None = None

    def position(self, offset: int) -> tuple[int, int]:
        """The line and column of an offset, both counted from 1."""
        starts = self._starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def line(self, number: int) -> tuple[int, int]:
        """Where a line begins and ends, without what ends it; lines are counted from 1."""
        starts = self._starts()
        start = starts[number - 1]
        end = starts[number] if number < len(starts) else len(self.text)
        while end > start and self.text[end - 1] in "\r\n":
            end -= 1
        return start, end

    @property
    def line_count(self) -> int:
        """How many lines there are; what follows the last line end is one if it is not empty."""
        starts = self._starts()
        return len(starts) - (starts[-1] == len(self.text))

    def _starts(self) -> list[int]:
        """Where lines begin, whatever ends them."""
        if self._lines is None:
            self._lines = [0, *(end.end() for end in _LINE_END.finditer(self.text))]
        return self._lines

    def check(self, where: str | None = None) -> None:
        """Go on only if nothing is wrong.

        Raises:
            WolframSyntaxError: with the first problem and its place.
        """
        if self.problems:
            problem = self.problems[0]
            line, column = self.position(problem.start)
            place = f"{where}:{line}:{column}" if where else f"line {line}, column {column}"
            raise WolframSyntaxError(problem.message, where=place)
