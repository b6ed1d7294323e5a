"""What happens where an operand stands, or is missing, and where an expression ends.

Brackets and the commas in them, also those that are missing or do not fit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram import node_builders, tokens
from paddock.wolfram.expressions import NO_POSITION, Atom, Node, symbol
from paddock.wolfram.node_builders import IMPLICIT_TIMES, make_chain, make_span
from paddock.wolfram.operators import (
    CALL_BRACKETS,
    CALL_PRECEDENCE,
    GROUP_BRACKETS,
    SPAN_PRECEDENCE,
    TIMES_PRECEDENCE,
)

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.parse_state import ParseState


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


CLOSERS = {closer for closer, _ in GROUP_BRACKETS.values()} | {
    closer for closer in CALL_BRACKETS.values() if closer != "]]"
}
_OPENERS = {closer: {opener} for opener, (closer, _) in GROUP_BRACKETS.items()} | {
    "]": {"[", "[[", "::["},
    "\\[RightDoubleBracket]": {"\\[LeftDoubleBracket]"},
}
_PART_BRACKETS = ("[[", "\\[LeftDoubleBracket]")
_MAX_UNCLOSED_BRACKETS = 50
"""How many brackets a closing one may leave unclosed."""
_LIST_HEAD = symbol("List")


def open_call(reading: ParseState, text: str, start: int) -> None:
    """`f[` and `f[[`; without a head it is an error, and read as if one had been there."""
    if not reading.is_ready:
        insert_missing_operand(reading, start, before_call=True)
    reading.reduce(CALL_PRECEDENCE)
    head = reading.operands.pop()
    if text == "[":
        node = Node(head, [], head.start)
    elif text in _PART_BRACKETS:
        node = Node(symbol("Part"), [head], head.start, NO_POSITION, text)
    else:
        specifier = node_builders.make_node("TypeSpecifier", [head], NO_POSITION, NO_POSITION, text)
        node = Node(specifier, [], head.start, NO_POSITION, text)
    _push_frame(reading, node, text, start)


def open_group(reading: ParseState, text: str, start: int) -> None:
    """`{`, `(` and the like, which need nothing before them."""
    if reading.is_ready or not reading.frames:
        begin_operand(reading, start)
    head = _LIST_HEAD if text == "{" else symbol(GROUP_BRACKETS[text][1])
    _push_frame(reading, Node(head, [], start, NO_POSITION, text), text, start)


def _push_frame(reading: ParseState, node: Node, text: str, start: int) -> None:
    reading.frames.append((node, text, start, reading.base))
    reading.base = len(reading.pending)
    reading.is_ready = reading.has_crossed = False


def add_comma(reading: ParseState, _text: str, start: int) -> None:
    """The end of an argument."""
    if not reading.frames:
        reading.report_problem("A comma outside of brackets", start, reading.position)
        finish_pending_expression(reading, start)
        return
    node, bracket, _, _ = reading.frames[-1]
    if bracket == "(":
        reading.report_problem("A comma in parentheses", start, reading.position)
    if reading.is_ready and len(reading.pending) == reading.base:
        node.args.append(reading.operands.pop())
        reading.is_ready = False
    else:
        node.args.append(_pop_argument(reading, start))


def _pop_argument(reading: ParseState, at: int) -> Expression:
    """What stands between two commas or brackets."""
    if not reading.is_ready:
        if len(reading.pending) > reading.base:
            insert_missing_operand(reading, at)
        else:
            reading.operands.append(Atom("symbol", "Null", at, at))
    reading.reduce(0)
    reading.is_ready = False
    return reading.operands.pop()


def close_bracket(reading: ParseState, text: str, start: int) -> None:
    """A closing bracket; it closes what has been left open inside of its own one, too."""
    frames, openers = reading.frames, _OPENERS[text]
    if not frames or frames[-1][1] not in openers:
        if not any(bracket in openers for _, bracket, _, _ in frames[-_MAX_UNCLOSED_BRACKETS:]):
            reading.report_problem(f"Unexpected {text}", start, reading.position)
            return
        while frames[-1][1] not in openers:
            close_unclosed_bracket(reading, start)
    if frames[-1][1] == "[[":
        _close_part(reading, start)
    _close_frame(reading, start, reading.position)


def _close_part(reading: ParseState, start: int) -> None:
    """The second bracket of two."""
    space = tokens.SPACE_PATTERN.match(reading.text, reading.position)
    at = space.end() if space else reading.position
    if reading.text.startswith("]", at):
        reading.position = at + 1
    else:
        reading.report_problem("Expected ]] and found ]", start, reading.position)


def close_unclosed_bracket(reading: ParseState, at: int) -> None:
    """Close a bracket that was not closed where it should have been."""
    _, bracket, start, _ = reading.frames[-1]
    opening = tokens.OPENING_BRACKET.match(reading.text, start)
    reading.report_problem(f"{bracket} is not closed", start, opening.end() if opening else start)
    _close_frame(reading, at, reading.previous)


def _close_frame(reading: ParseState, at: int, end: int) -> None:
    node, bracket, _, base = reading.frames[-1]
    if reading.is_ready and len(reading.pending) == reading.base:
        node.args.append(reading.operands.pop())
    elif reading.is_ready or len(reading.pending) > reading.base or _has_arguments(node, bracket):
        node.args.append(_pop_argument(reading, at))
    reading.frames.pop()
    reading.base = base
    node.end = end
    reading.operands.append(_unwrap_group(reading, node) if bracket == "(" else node)
    reading.is_ready = True


def _has_arguments(node: Node, bracket: str) -> bool:
    """Whether a comma came before; the first argument of a part is what it is a part of."""
    return len(node.args) > (bracket in _PART_BRACKETS)


def _unwrap_group(reading: ParseState, group: Node) -> Expression:
    """What stands in parentheses, which count for its place."""
    if len(group.args) == 1:
        inner = group.args[0]
        inner.start, inner.end, inner.is_grouped = group.start, group.end, True
        return inner
    if not group.args:
        reading.report_problem("Nothing in parentheses", group.start, group.end)
        return Atom("error", "()", group.start, group.end)
    group.is_grouped = True
    return group
