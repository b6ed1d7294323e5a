"""What becomes of a source text: its expressions, and what is wrong with it and where."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import PaddockError

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression


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
        if self._lines is None:
            self._lines = [0]
            at = self.text.find("\n")
            while at >= 0:
                self._lines.append(at + 1)
                at = self.text.find("\n", at + 1)
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

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
