"""Parse results: top-level expressions, comments and syntax problems with their positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import PaddockError
from paddock.reports.text import LineIndex
from paddock.wolfram.expressions import is_atom, walk

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression


class WolframSyntaxError(PaddockError):
    """Invalid Wolfram Language source text."""

    code = "wolfram-syntax"


class SyntaxProblem(NamedTuple):
    """A syntax error and its span in the source text."""

    message: str
    start: int
    end: int


class ParsedSource(LineIndex):
    """A parsed source text.

    `expressions` holds the top-level expressions, `problems` the syntax errors ordered by position,
    and `comments` the `(start, end)` offsets of the comments.
    """

    __slots__ = ("comments", "expressions", "problems")

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.expressions: list[Expression] = []
        self.problems: list[SyntaxProblem] = []
        self.comments: list[tuple[int, int]] = []

    def get_code(
        self, expression: Expression, replace_symbol: Callable[[str], str | None] | None = None
    ) -> str:
        """Return the source text of an expression, with selected symbols replaced.

        The text between the symbols is copied, so formatting and comments are preserved.

        Args:
            expression: The expression, which must come from this source.
            replace_symbol: Returns the new text for the name of a symbol, or None to leave the
                symbol unchanged. By default nothing is replaced.
        """
        if replace_symbol is None:
            return self.text[expression.start : expression.end]
        # Symbols that the parser added, such as the `Plus` of `a + b`, have no text in the source.
        symbols = [
            part
            for part in walk(expression)
            if is_atom(part, "symbol") and expression.start <= part.start < part.end
        ]
        pieces, position = [], expression.start
        # Sort by position: in `x // f` the head comes first in the expression, but last in the
        # text.
        for symbol in sorted(symbols, key=lambda part: part.start):
            replacement = replace_symbol(symbol.text)
            if replacement is not None:
                pieces.append(self.text[position : symbol.start])
                # The span of a symbol in parentheses includes the parentheses.
                pieces.append(f"({replacement})" if symbol.is_grouped else replacement)
                position = symbol.end
        return "".join([*pieces, self.text[position : expression.end]])

    def raise_first_problem(self, where: str | None = None) -> None:
        """Raise an error for the first syntax problem, if the source has one.

        Args:
            where: The source name to show in the error.

        Raises:
            WolframSyntaxError: The source has a problem. The error carries its message, line
                and column.
        """
        if self.problems:
            problem = self.problems[0]
            line, column = self.get_position(problem.start)
            location = f"{where}:{line}:{column}" if where else f"line {line}, column {column}"
            raise WolframSyntaxError(problem.message, where=location)
