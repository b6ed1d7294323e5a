"""Brackets and the commas in them, also those that are missing or do not fit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram import results, tokens
from paddock.wolfram.expressions import NOWHERE, Atom, Node, symbol
from paddock.wolfram.operands import before_operand, complete_if_begun, fill
from paddock.wolfram.operators import CALL_PRECEDENCE, CALLS, GROUPS

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
_LIST = symbol("List")


def open_call(reading: Reading, text: str, start: int) -> None:
    """`f[` and `f[[`; without a head it is an error, and read as if one had been there."""
    if not reading.is_ready:
        fill(reading, start, before_call=True)
    reading.reduce(CALL_PRECEDENCE)
    head = reading.operands.pop()
    if text == "[":
        node = Node(head, [], head.start)
    elif text in _PARTS:
        node = Node(symbol("Part"), [head], head.start, NOWHERE, text)
    else:
        specifier = results.node("TypeSpecifier", [head], NOWHERE, NOWHERE, text)
        node = Node(specifier, [], head.start, NOWHERE, text)
    _open(reading, node, text, start)


def open_group(reading: Reading, text: str, start: int) -> None:
    """`{`, `(` and the like, which need nothing before them."""
    if reading.is_ready or not reading.frames:
        before_operand(reading, start)
    head = _LIST if text == "{" else symbol(GROUPS[text][1])
    _open(reading, Node(head, [], start, NOWHERE, text), text, start)


def _open(reading: Reading, node: Node, text: str, start: int) -> None:
    reading.frames.append((node, text, start, reading.base))
    reading.base = len(reading.pending)
    reading.is_ready = reading.has_crossed = False


def comma(reading: Reading, _text: str, start: int) -> None:
    """The end of an argument."""
    if not reading.frames:
        reading.complain("A comma outside of brackets", start, reading.position)
        complete_if_begun(reading, start)
        return
    node, bracket, _, _ = reading.frames[-1]
    if bracket == "(":
        reading.complain("A comma in parentheses", start, reading.position)
    if reading.is_ready and len(reading.pending) == reading.base:
        node.args.append(reading.operands.pop())
        reading.is_ready = False
    else:
        node.args.append(_argument(reading, start))


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
    if not frames or frames[-1][1] not in openers:
        if not any(bracket in openers for _, bracket, _, _ in frames[-_REACH:]):
            reading.complain(f"Unexpected {text}", start, reading.position)
            return
        while frames[-1][1] not in openers:
            abandon(reading, start)
    if frames[-1][1] == "[[":
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
    _, bracket, start, _ = reading.frames[-1]
    opening = tokens.OPENING.match(reading.text, start)
    reading.complain(f"{bracket} is not closed", start, opening.end() if opening else start)
    _close_frame(reading, at, reading.previous)


def _close_frame(reading: Reading, at: int, end: int) -> None:
    node, bracket, _, base = reading.frames[-1]
    if reading.is_ready and len(reading.pending) == reading.base:
        node.args.append(reading.operands.pop())
    elif reading.is_ready or len(reading.pending) > reading.base or _has_arguments(node, bracket):
        node.args.append(_argument(reading, at))
    reading.frames.pop()
    reading.base = base
    node.end = end
    reading.operands.append(_grouped(reading, node) if bracket == "(" else node)
    reading.is_ready = True


def _has_arguments(node: Node, bracket: str) -> bool:
    """Whether a comma came before; the first argument of a part is what it is a part of."""
    return len(node.args) > (bracket in _PARTS)


def _grouped(reading: Reading, group: Node) -> Expression:
    """What stands in parentheses, which count for its place."""
    if len(group.args) == 1:
        inner = group.args[0]
        inner.start, inner.end, inner.is_grouped = group.start, group.end, True
        return inner
    if not group.args:
        reading.complain("Nothing in parentheses", group.start, group.end)
        return Atom("error", "()", group.start, group.end)
    group.is_grouped = True
    return group
