"""What happens where an operand stands, or is missing, and where an expression ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom
from paddock.wolfram.operators import SPAN_PRECEDENCE, TIMES_PRECEDENCE
from paddock.wolfram.results import IMPLICIT_TIMES, make_chain, make_span

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.reading import ParseState

_MAX_QUOTED_CHARACTERS = 12
"""How many characters of what was found stand in a message."""


def push_operand(reading: ParseState, operand: Expression, start: int) -> None:
    """An operand has been read."""
    if reading.is_ready or not reading.frames:
        begin_operand(reading, start)
    reading.operands.append(operand)
    reading.is_ready = True


def begin_operand(reading: ParseState, start: int) -> None:
    """An operand begins here."""
    if reading.is_ready:
        join_adjacent(reading, start)
    elif not reading.frames:
        crosses = reading.has_line_break_before(start)
        if reading.pending:
            if crosses and reading.pending[-1].text in (";", ";;"):
                # At the top, a line that ends with a semicolon or two is complete.
                insert_missing_operand(reading, start)
                finish_expression(reading, start)
        else:
            reading.mark_expression_start(start)


def join_adjacent(reading: ParseState, start: int) -> None:
    """An operand follows another: a product, or at the top a new line and so a new one."""
    if not reading.frames and reading.has_line_break_before(start):
        finish_expression(reading, start)
        return
    begin_product(reading, start)


def begin_product(reading: ParseState, start: int) -> None:
    """A product with what begins here."""
    reading.reduce(TIMES_PRECEDENCE)
    reading.push_operator(TIMES_PRECEDENCE, IMPLICIT_TIMES, make_chain, start)


def begin_span(reading: ParseState, start: int) -> None:
    """A span whose beginning is left out; it is the operand of whatever stands before it."""
    push_operand(reading, Atom("number", "1", start, start), start)
    reading.push_operator(SPAN_PRECEDENCE, ";;", make_span, start)


def expects_span_end(reading: ParseState) -> bool:
    """Whether what comes next may be left out because it is the end of a span."""
    last = reading.get_last_operator()
    return last is not None and last.text == ";;"


def insert_missing_operand(reading: ParseState, at: int, *, before_call: bool = False) -> None:
    """Put in what may be left out, or an error where nothing may."""
    last = reading.get_last_operator()
    if last is not None and last.text == ";" and not before_call:
        # Not where a comment ends that may follow.
        end = last.place + len(last.text)
        missing = Atom("symbol", "Null", end, end)
    elif expects_span_end(reading):
        _split_span(reading)
        missing = Atom("symbol", "All", reading.previous, reading.previous)
    else:
        lines = reading.text[at : at + _MAX_QUOTED_CHARACTERS].splitlines()
        found = repr(lines[0]) if lines else "the end"
        reading.report_problem(f"Expected an expression before {found}", at, at)
        missing = Atom("error", "", at, at)
    reading.operands.append(missing)
    reading.is_ready = True


def _split_span(reading: ParseState) -> None:
    """`a ;; b ;;` without a step is `a ;; b` times another span."""
    last = reading.get_last_operator()
    if last is None or last.size == 2:
        return
    last.size = 2
    reading.reduce_through(last)
    begin_product(reading, last.second)
    begin_span(reading, last.second)


def finish_expression(reading: ParseState, at: int) -> None:
    """A top-level expression has come to its end; the next may begin here."""
    reading.reduce(0)
    reading.source.expressions.append(reading.operands.pop())
    reading.is_ready = False
    reading.mark_expression_start(at)


def finish_pending_expression(reading: ParseState, at: int) -> None:
    """The end of a top-level expression, if one has begun."""
    if not reading.is_ready and reading.pending:
        insert_missing_operand(reading, at)
    if reading.is_ready:
        finish_expression(reading, at)
