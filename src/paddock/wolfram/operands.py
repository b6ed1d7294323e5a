"""What happens where an operand stands, or is missing, and where an expression ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom
from paddock.wolfram.operators import SPAN_PRECEDENCE, TIMES_PRECEDENCE
from paddock.wolfram.results import IMPLICIT_TIMES, make_chain, make_span

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.reading import Reading

_SHOWN = 12
"""How many characters of what was found stand in a message."""


def add_operand(reading: Reading, operand: Expression, start: int) -> None:
    """An operand has been read."""
    if reading.is_ready or not reading.frames:
        before_operand(reading, start)
    reading.operands.append(operand)
    reading.is_ready = True


def before_operand(reading: Reading, start: int) -> None:
    """An operand begins here."""
    if reading.is_ready:
        adjacent(reading, start)
    elif not reading.frames:
        crosses = reading.crosses(start)
        if reading.pending:
            if crosses and reading.pending[-1].text in (";", ";;"):
                # At the top, a line that ends with a semicolon or two is complete.
                fill(reading, start)
                complete(reading, start)
        else:
            reading.set_mark(start)


def adjacent(reading: Reading, start: int) -> None:
    """An operand follows another: a product, or at the top a new line and so a new one."""
    if not reading.frames and reading.crosses(start):
        complete(reading, start)
        return
    multiply(reading, start)


def multiply(reading: Reading, start: int) -> None:
    """A product with what begins here."""
    reading.reduce(TIMES_PRECEDENCE)
    reading.push(TIMES_PRECEDENCE, IMPLICIT_TIMES, make_chain, start)


def begin_span(reading: Reading, start: int) -> None:
    """A span whose beginning is left out; it is the operand of whatever stands before it."""
    add_operand(reading, Atom("number", "1", start, start), start)
    reading.push(SPAN_PRECEDENCE, ";;", make_span, start)


def wants_span_end(reading: Reading) -> bool:
    """Whether what comes next may be left out because it is the end of a span."""
    last = reading.last()
    return last is not None and last.text == ";;"


def fill(reading: Reading, at: int, *, before_call: bool = False) -> None:
    """Put in what may be left out, or an error where nothing may."""
    last = reading.last()
    if last is not None and last.text == ";" and not before_call:
        # Not where a comment ends that may follow.
        end = last.place + len(last.text)
        missing = Atom("symbol", "Null", end, end)
    elif wants_span_end(reading):
        _divide_span(reading)
        missing = Atom("symbol", "All", reading.previous, reading.previous)
    else:
        lines = reading.text[at : at + _SHOWN].splitlines()
        found = repr(lines[0]) if lines else "the end"
        reading.complain(f"Expected an expression before {found}", at, at)
        missing = Atom("error", "", at, at)
    reading.operands.append(missing)
    reading.is_ready = True


def _divide_span(reading: Reading) -> None:
    """`a ;; b ;;` without a step is `a ;; b` times another span."""
    last = reading.last()
    if last is None or last.size == 2:
        return
    last.size = 2
    reading.reduce_through(last)
    multiply(reading, last.second)
    begin_span(reading, last.second)


def complete(reading: Reading, at: int) -> None:
    """A top-level expression has come to its end; the next may begin here."""
    reading.reduce(0)
    reading.source.expressions.append(reading.operands.pop())
    reading.is_ready = False
    reading.set_mark(at)


def complete_if_begun(reading: Reading, at: int) -> None:
    """The end of a top-level expression, if one has begun."""
    if not reading.is_ready and reading.pending:
        fill(reading, at)
    if reading.is_ready:
        complete(reading, at)
