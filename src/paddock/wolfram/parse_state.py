"""Making many objects that all stay, without the interpreter looking for garbage among them.

How far the reading of a source has come: the stacks of the parser.

Operands wait on one stack and operators on another; open brackets are frames, which say where the
operators inside of them begin. So depth costs memory, and never the interpreter's own stack.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

from paddock.wolfram import tokens
from paddock.wolfram.source import ParsedSource, SyntaxProblem
from paddock.wolfram.tokens import NestedRegions

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from paddock.wolfram.expressions import Expression, Node


@contextmanager
def defer_gc() -> Iterator[None]:
    """Put off the collection of garbage: to look for some takes as long as reading a source."""
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if is_collecting:
            gc.enable()


INTEGRAL_SIGN = "\\[Integral]"
BracketFrame = tuple["Node", str, int, int]
"""An open bracket: the node that its arguments belong to, its text, its place, and how many of the
pending operators are outside of the bracket around it. A plain tuple, for there are many."""


class PendingOperator:
    """An operator whose last operand is not complete.

    `make` takes `size` operands from the stack and puts their expression there.
    """

    __slots__ = ("make", "place", "precedence", "second", "size", "text")
    second: int
    """Of one with three operands: where its second sign stands."""

    def __init__(
        self,
        precedence: int,
        text: str,
        make: Callable[[ParseState, PendingOperator], None],
        place: int,
        size: int = 2,
    ) -> None:
        self.precedence = precedence
        self.text = text
        self.make = make
        self.place = place
        self.size = size


class ParseState:
    """The state of one parse."""

    __slots__ = (
        *("base", "boxes", "comments", "frames", "has_crossed", "integrals", "is_ready"),
        *("mark", "operands", "pending", "position", "previous", "source", "text"),
    )

    def __init__(self, text: str) -> None:
        self.text = text
        self.source = ParsedSource(text)
        self.operands: list[Expression] = []
        self.pending: list[PendingOperator] = []
        self.frames: list[BracketFrame] = []
        self.base = 0
        """How many of the pending operators are outside of the innermost bracket."""
        self.is_ready = False
        """Whether an operand is complete, so that an operator may follow."""
        self.integrals: list[int] = []
        """Which of the pending operators are integrals without their differential, and some that
        are no more."""
        self.position = 0
        self.previous = 0
        """Where the previous token ended."""
        self.has_crossed = False
        """Whether a line ended since the previous token, before a comment."""
        self.mark = (0, 0, 0)
        """Where the present top-level expression began, and how many problems and comments were
        known there."""
        self.comments = NestedRegions(text, tokens.COMMENT_EDGE, "(*", "*)")
        self.boxes = NestedRegions(text, tokens.BOX_EDGE, "\\(", "\\)")

    def get_last_operator(self) -> PendingOperator | None:
        """The innermost operator that is not complete, within the innermost bracket."""
        return self.pending[-1] if len(self.pending) > self.base else None

    def find_open_integral(self) -> PendingOperator | None:
        """The innermost integral that waits for its differential, within the innermost bracket."""
        pending, integrals = self.pending, self.integrals
        while integrals and integrals[-1] >= self.base:
            if integrals[-1] < len(pending):
                found = pending[integrals[-1]]
                if found.text == INTEGRAL_SIGN and found.size == 1:
                    return found
            integrals.pop()
        return None

    def reduce(self, precedence: int) -> None:
        """Complete what binds at least as tightly."""
        pending, base = self.pending, self.base
        while len(pending) > base and pending[-1].precedence >= precedence:
            last = pending.pop()
            last.make(self, last)

    def find_looser_operator(self, precedence: int) -> PendingOperator | None:
        """The innermost operator that binds no more tightly, within the innermost bracket."""
        for at in range(len(self.pending) - 1, self.base - 1, -1):
            if self.pending[at].precedence <= precedence:
                return self.pending[at]
        return None

    def reduce_through(self, until: PendingOperator) -> None:
        """Complete everything up to and with an operator."""
        last = None
        while last is not until:
            last = self.pending.pop()
            last.make(self, last)

    def push_operator(
        self,
        precedence: int,
        text: str,
        make: Callable[[ParseState, PendingOperator], None],
        place: int,
        size: int = 2,
    ) -> None:
        """An operator that waits for an operand."""
        self.pending.append(PendingOperator(precedence, text, make, place, size))
        self.is_ready = False

    def has_line_break_before(self, start: int) -> bool:
        """Whether a line ended between the previous token and this place; asked once."""
        crossed = self.has_crossed or (
            tokens.LINE_END.search(self.text, self.previous, start) is not None
        )
        self.has_crossed = False
        return crossed

    def report_problem(self, message: str, start: int, end: int) -> None:
        """Something is wrong here."""
        self.source.problems.append(SyntaxProblem(message, start, end))

    def mark_expression_start(self, at: int) -> None:
        """A new top-level expression may begin here."""
        self.mark = (at, len(self.source.problems), len(self.source.comments))

    def rewind(self) -> None:
        """Go back to where the present top-level expression began."""
        at, problems, comments = self.mark
        del self.source.problems[problems:], self.source.comments[comments:]
        self.operands.clear()
        self.pending.clear()
        self.integrals.clear()
        self.frames.clear()
        self.base = 0
        self.is_ready = self.has_crossed = False
        self.position = self.previous = at
