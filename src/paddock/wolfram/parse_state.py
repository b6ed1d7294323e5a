"""Parser state: the operand and operator stacks, and the open brackets.

Operands and operators wait on two stacks. Each open bracket is a frame that records where its
operators begin. The parser does not recurse, so only memory limits the nesting depth.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from paddock.wolfram import tokens
from paddock.wolfram.source import ParsedSource, SyntaxProblem
from paddock.wolfram.tokens import NestedRegions

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from paddock.wolfram.expressions import Expression, Node

INTEGRAL_SIGN = "\\[Integral]"
BracketFrame = tuple["Node", str, int, int]
"""An open bracket: node under construction, bracket text, start, and the `frame_base` to restore.

This is a plain tuple, because sources contain a great many brackets and tuples are the cheapest to
create. `FRAME_NODE`, `FRAME_BRACKET` and `FRAME_START` are the indices of its first elements.
"""
FRAME_NODE: Final = 0
FRAME_BRACKET: Final = 1
FRAME_START: Final = 2


@contextmanager
def defer_gc() -> Generator[None]:
    """Disable garbage collection within a `with` block, to save time.

    A parser allocates many objects that all stay in use. The collections triggered by these
    allocations would free nothing and take as long as the parsing.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        # If the caller has disabled garbage collection, it must stay disabled.
        if was_enabled:
            gc.enable()


class PendingOperator:
    """An operator on the parser's stack, whose last operand is not complete yet.

    Args:
        precedence: The precedence. Higher values bind more tightly.
        text: The sign of the operator, or `IMPLICIT_TIMES`.
        build: A function that replaces the last `operand_count` operands on the stack with the node
            of the operator.
        start: The offset of the sign in the source.
        operand_count: The number of operands. It is raised for `~` and `;;` when the parser reads
            their second sign.
    """

    __slots__ = ("build", "operand_count", "precedence", "second_start", "start", "text")
    second_start: int
    """Start of the second sign of a three-operand operator (`a ~ f ~ b`)."""

    def __init__(
        self,
        precedence: int,
        text: str,
        build: Callable[[ParseState, PendingOperator], None],
        start: int,
        operand_count: int = 2,
    ) -> None:
        self.precedence = precedence
        self.text = text
        self.build = build
        self.start = start
        self.operand_count = operand_count


class ParseState:
    """The state of one parse: stacks, position and result.

    `operands` and `pending` hold operands and operators that are not combined yet. An operator is
    combined with its operands as soon as a following operator binds less tightly (`reduce`).
    """

    __slots__ = (
        *("boxes", "comments", "frame_base", "frames", "has_operand", "integrals", "operands"),
        *("pending", "position", "previous_end", "restart_point", "saw_line_break", "source"),
        "text",
    )

    def __init__(self, text: str) -> None:
        self.text = text
        self.source = ParsedSource(text)
        self.operands: list[Expression] = []
        self.pending: list[PendingOperator] = []
        self.frames: list[BracketFrame] = []
        self.frame_base = 0
        """The number of pending operators outside the innermost bracket."""
        self.has_operand = False
        """True if an operand is complete, so that an infix operator can follow."""
        self.integrals: list[int] = []
        """Indices in `pending` of integrals that lack a differential. Some may be outdated."""
        self.position = 0
        """The offset of the next token."""
        self.previous_end = 0
        """The offset after the previous token."""
        self.saw_line_break = False
        """True if a line ended between the previous token and a comment after it."""
        self.restart_point = (0, 0, 0)
        """The start of the current expression, and the problem and comment counts at that point.

        If a bracket is not closed, the parser returns to this point.
        """
        self.comments = NestedRegions(text, tokens.COMMENT_EDGE, "(*", "*)")
        self.boxes = NestedRegions(text, tokens.BOX_EDGE, "\\(", "\\)")

    def get_last_operator(self) -> PendingOperator | None:
        """Return the last pending operator within the innermost bracket."""
        return self.pending[-1] if len(self.pending) > self.frame_base else None

    def find_open_integral(self) -> PendingOperator | None:
        """Return the last integral in the innermost bracket that lacks a differential, or None."""
        pending, integrals = self.pending, self.integrals
        # Indices become outdated when `reduce` pops operators. It is cheaper to check them here
        # than to update them there.
        while integrals and integrals[-1] >= self.frame_base:
            if integrals[-1] < len(pending):
                operator = pending[integrals[-1]]
                if operator.text == INTEGRAL_SIGN and operator.operand_count == 1:
                    return operator
            integrals.pop()
        return None

    def reduce(self, precedence: int) -> None:
        """Build the nodes of pending operators that bind at least as tightly as a precedence.

        Called when the parser reads an operator with this precedence, because their last operands
        are then complete. Only operators in the innermost bracket are considered.
        """
        pending, base = self.pending, self.frame_base
        while len(pending) > base and pending[-1].precedence >= precedence:
            last = pending.pop()
            last.build(self, last)

    def find_looser_operator(self, precedence: int) -> PendingOperator | None:
        """Return the last operator in the innermost bracket that binds at most as tightly."""
        for index in range(len(self.pending) - 1, self.frame_base - 1, -1):
            if self.pending[index].precedence <= precedence:
                return self.pending[index]
        return None

    def reduce_through(self, until: PendingOperator) -> None:
        """Build the pending operators down to and including `until`."""
        last = None
        while last is not until:
            last = self.pending.pop()
            last.build(self, last)

    def push_operator(self, operator: PendingOperator) -> None:
        """Push an operator that expects an operand next."""
        self.pending.append(operator)
        self.has_operand = False

    def has_line_break_before(self, start: int) -> bool:
        """Return whether a line ended between the previous token and the offset `start`.

        This resets `saw_line_break`, so it must be called only once for each token.
        """
        has_line_break = self.saw_line_break or (
            tokens.LINE_END.search(self.text, self.previous_end, start) is not None
        )
        self.saw_line_break = False
        return has_line_break

    def report_problem(self, message: str, start: int, end: int) -> None:
        """Record a syntax problem."""
        self.source.problems.append(SyntaxProblem(message, start, end))

    def mark_expression_start(self, position: int) -> None:
        """Set the restart point to a new top-level expression."""
        self.restart_point = (position, len(self.source.problems), len(self.source.comments))

    def rewind(self) -> None:
        """Return to the start of the current expression, and discard everything parsed since then.

        The parser does this for an expression with an unclosed bracket, and then reads it again
        with another end.
        """
        position, problem_count, comment_count = self.restart_point
        # Without this, reading again would report the same problems twice.
        del self.source.problems[problem_count:], self.source.comments[comment_count:]
        self.operands.clear()
        self.pending.clear()
        self.integrals.clear()
        self.frames.clear()
        self.frame_base = 0
        self.has_operand = self.saw_line_break = False
        self.position = self.previous_end = position
