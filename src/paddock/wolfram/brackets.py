"""Brackets and the commas in them, also those that are missing or do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram import results, tokens
from paddock.wolfram.expressions import Atom, Node, symbol
from paddock.wolfram.operands import before_operand, complete_if_begun, fill
from paddock.wolfram.operators import CALL_PRECEDENCE, CALLS, GROUPS
from paddock.wolfram.reading import Frame

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.reading import Reading

CLOSERS = {closer for closer, _ in GROUPS.values()} | {
    closer for closer in CALLS.values() if closer != "]]"
}
_OPENERS = {closer: {opener} for opener, (closer, _) in GROUPS.items()} | {
    "]": {"[", "[[", "::["},
    "\\[RightDoubleBracket]": {"\\[LeftDoubleBracket]"},
}
_PARTS = ("[[", "\\[LeftDoubleBracket]")
_REACH = 50
"""How many brackets a closing one may leave unclosed."""


def open_call(reading: Reading, text: str, start: int) -> None:
    """`f[` and `f[[`; without a head it is an error, and read as if one had been there."""
    if not reading.is_ready:
        fill(reading, start, before_operator=True)
    reading.reduce(CALL_PRECEDENCE)
    _open(reading, text, reading.operands.pop(), start)


def open_group(reading: Reading, text: str, start: int) -> None:
    """`{`, `(` and the like, which need nothing before them."""
    if reading.is_ready or not reading.frames:
        before_operand(reading, start)
    _open(reading, text, None, start)


def _open(reading: Reading, text: str, head: Expression | None, start: int) -> None:
    reading.frames.append(Frame(text, head, start, reading.base))
    reading.base = len(reading.pending)
    reading.is_ready = reading.has_crossed = False


def comma(reading: Reading, _text: str, start: int) -> None:
    """The end of an argument."""
    if not reading.frames:
        reading.complain("A comma outside of brackets", start, reading.position)
        complete_if_begun(reading, start)
        return
    frame = reading.frames[-1]
    if frame.bracket == "(":
        reading.complain("A comma in parentheses", start, reading.position)
    frame.args.append(_argument(reading, start))


def _argument(reading: Reading, at: int) -> Expression:
    """What stands between two commas or brackets."""
    if not reading.is_ready:
        if len(reading.pending) > reading.base:
            fill(reading, at)
        else:
            reading.operands.append(Atom("symbol", "Null", at, at))
    reading.reduce(0)
    reading.is_ready = False
    return reading.operands.pop()


def close(reading: Reading, text: str, start: int) -> None:
    """A closing bracket; it closes what has been left open inside of its own one, too."""
    frames, openers = reading.frames, _OPENERS[text]
    if not frames or frames[-1].bracket not in openers:
        if not any(frame.bracket in openers for frame in frames[-_REACH:]):
            reading.complain(f"Unexpected {text}", start, reading.position)
            return
        while frames[-1].bracket not in openers:
            abandon(reading, start)
    if frames[-1].bracket == "[[":
        _close_part(reading, start)
    _close_frame(reading, start, reading.position)


def _close_part(reading: Reading, start: int) -> None:
    """The second bracket of two."""
    space = tokens.SPACE.match(reading.text, reading.position)
    at = space.end() if space else reading.position
    if reading.text.startswith("]", at):
        reading.position = at + 1
    else:
        reading.complain("Expected ]] and found ]", start, reading.position)


def abandon(reading: Reading, at: int) -> None:
    """Close a bracket that was not closed where it should have been."""
    frame = reading.frames[-1]
    reading.complain(
        f"{frame.bracket} is not closed", frame.start, frame.start + len(frame.bracket)
    )
    _close_frame(reading, at, reading.previous)


def _close_frame(reading: Reading, at: int, end: int) -> None:
    frame = reading.frames[-1]
    if reading.is_ready or frame.args or len(reading.pending) > reading.base:
        frame.args.append(_argument(reading, at))
    reading.frames.pop()
    reading.base = frame.base
    reading.operands.append(_closed(reading, frame, end))
    reading.is_ready = True


def _closed(reading: Reading, frame: Frame, end: int) -> Expression:
    head, args, bracket = frame.head, frame.args, frame.bracket
    if head is None:
        if bracket == "(":
            return _grouped(reading, frame, end)
        return Node(symbol(GROUPS[bracket][1]), args, frame.start, end, bracket)
    if bracket == "[":
        return Node(head, args, head.start, end)
    if bracket in _PARTS:
        return Node(symbol("Part"), [head, *args], head.start, end, bracket)
    specifier = results.node("TypeSpecifier", [head], head.start, frame.start, bracket)
    return Node(specifier, args, head.start, end, bracket)


def _grouped(reading: Reading, frame: Frame, end: int) -> Expression:
    """What stands in parentheses, which count for its place."""
    if len(frame.args) == 1:
        inner = frame.args[0]
        inner.start, inner.end, inner.is_grouped = frame.start, end, True
        return inner
    if not frame.args:
        reading.complain("Nothing in parentheses", frame.start, end)
        return Atom("error", "()", frame.start, end)
    several = results.node("Sequence", frame.args, frame.start, end, "(")
    several.is_grouped = True
    return several
