"""What becomes of a source text: its expressions, and what is wrong with it and where."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import PaddockError
from paddock.reports.text import LineIndex

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression


class WolframSyntaxError(PaddockError):
    """Wolfram Language text cannot be read."""

    code = "wolfram-syntax"


class SyntaxProblem(NamedTuple):
    """Something that is wrong with a source, and where."""

    message: str
    start: int
    end: int


class ParsedSource(LineIndex):
    """A source text, and what became of it.

    `expressions` are those at the top level, `problems` what is wrong, in the order of their
    places, `comments` where comments begin and end.
    """

    __slots__ = ("comments", "expressions", "problems")

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.expressions: list[Expression] = []
        self.problems: list[SyntaxProblem] = []
        self.comments: list[tuple[int, int]] = []

    def raise_first_problem(self, where: str | None = None) -> None:
        """Go on only if nothing is wrong.

        Raises:
            WolframSyntaxError: with the first problem and its place.
        """
        if self.problems:
            problem = self.problems[0]
            line, column = self.get_position(problem.start)
            place = f"{where}:{line}:{column}" if where else f"line {line}, column {column}"
            raise WolframSyntaxError(problem.message, where=place)
