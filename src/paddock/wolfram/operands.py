"""Operands, brackets and commas, including missing ones, and the ends of expressions."""

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
from paddock.wolfram.parse_state import PendingOperator

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.parse_state import ParseState


_MAX_QUOTED_CHARACTERS = 12
"""Source characters quoted in a problem message."""
CLOSERS = {closer for closer, _ in GROUP_BRACKETS.values()} | {
    closer for closer in CALL_BRACKETS.values() if closer != "]]"
}
_OPENERS = {closer: {opener} for opener, (closer, _) in GROUP_BRACKETS.items()} | {
    "]": {"[", "[[", "::["},
    "\\[RightDoubleBracket]": {"\\[LeftDoubleBracket]"},
}
_PART_BRACKETS = ("[[", "\\[LeftDoubleBracket]")
_MAX_UNCLOSED_BRACKETS = 50
"""The number of unclosed brackets that a closing bracket may close implicitly."""
_LIST_HEAD = symbol("List")


def push_operand(state: ParseState, operand: Expression, start: int) -> None:
    """Push a complete operand, so that an infix operator or closing bracket can follow.

    An operand directly after another one is multiplied with it, or starts the next expression.
    """
    if state.has_operand or not state.frames:
        begin_operand(state, start)
    state.operands.append(operand)
    state.has_operand = True


def begin_operand(state: ParseState, start: int) -> None:
    """Prepare the stacks for an operand at `start`.

    After a complete operand, the new one is a factor or begins a new line's expression. At the top
    level, this also notes where an expression starts and ends one whose last line is complete.
    """
    if state.has_operand:
        join_adjacent(state, start)
    elif not state.frames:
        has_line_break = state.has_line_break_before(start)
        if state.pending:
            if has_line_break and state.pending[-1].text in (";", ";;"):
                # At the top level, a line that ends with `;` or `;;` is complete.
                insert_missing_operand(state, start)
                finish_expression(state, start)
        else:
            state.mark_expression_start(start)


def join_adjacent(state: ParseState, start: int) -> None:
    """Multiply adjacent operands, or at the top level end the expression at its line break."""
    if not state.frames and state.has_line_break_before(start):
        finish_expression(state, start)
        return
    begin_product(state, start)


def begin_product(state: ParseState, start: int) -> None:
    """Push the implicit multiplication of adjacent operands (`a b`)."""
    state.reduce(TIMES_PRECEDENCE)
    state.push_operator(PendingOperator(TIMES_PRECEDENCE, IMPLICIT_TIMES, make_chain, start))


def begin_span(state: ParseState, start: int) -> None:
    """Begin a span without a first operand, which defaults to 1."""
    push_operand(state, Atom("number", "1", start, start), start)
    state.push_operator(PendingOperator(SPAN_PRECEDENCE, ";;", make_span, start))


def expects_span_end(state: ParseState) -> bool:
    """Return whether a missing operand here would be the end of a span."""
    last = state.get_last_operator()
    return last is not None and last.text == ";;"


def insert_missing_operand(state: ParseState, position: int, *, before_call: bool = False) -> None:
    """Insert the default for an omitted operand, or report an error if it is required.

    Args:
        state: The parser state.
        position: Where the operand was expected.
        before_call: True if a `[` follows. `a; [x]` then lacks a head, and `Null` is not its
            default.
    """
    last = state.get_last_operator()
    # `a;` means `a; Null`. In `a; [x]`, however, the head of the call is missing.
    if last is not None and last.text == ";" and not before_call:
        # The operand directly follows the sign; a comment may come between the sign and `position`.
        sign_end = last.start + len(last.text)
        missing = Atom("symbol", "Null", sign_end, sign_end)
    elif expects_span_end(state):
        _split_span(state)
        missing = Atom("symbol", "All", state.previous_end, state.previous_end)
    else:
        lines = state.text[position : position + _MAX_QUOTED_CHARACTERS].splitlines()
        found_text = repr(lines[0]) if lines else "the end"
        state.report_problem(f"Expected an expression before {found_text}", position, position)
        missing = Atom("error", "", position, position)
    state.operands.append(missing)
    state.has_operand = True


def _split_span(state: ParseState) -> None:
    """Split `a ;; b ;;`, whose step is missing, into `a ;; b` times a new span.

    Kernels read a second `;;` as the step's sign only if a step follows.
    """
    last = state.get_last_operator()
    if last is None or last.operand_count == 2:
        return
    last.operand_count = 2
    state.reduce_through(last)
    begin_product(state, last.second_start)
    begin_span(state, last.second_start)


def finish_expression(state: ParseState, position: int) -> None:
    """Complete the current top-level expression. The next one can begin at `position`."""
    state.reduce(0)
    state.source.expressions.append(state.operands.pop())
    state.has_operand = False
    state.mark_expression_start(position)


def finish_pending_expression(state: ParseState, position: int) -> None:
    """Complete the current top-level expression, if one has begun.

    A missing last operand gets its default or is reported.
    """
    if not state.has_operand and state.pending:
        insert_missing_operand(state, position)
    if state.has_operand:
        finish_expression(state, position)


def open_call(state: ParseState, text: str, start: int) -> None:
    """Open `f[` or `f[[`. A missing head is reported and replaced by an error atom."""
    if not state.has_operand:
        insert_missing_operand(state, start, before_call=True)
    state.reduce(CALL_PRECEDENCE)
    head = state.operands.pop()
    if text == "[":
        node = Node(head, [], head.start)
    elif text in _PART_BRACKETS:
        node = Node(symbol("Part"), [head], head.start, NO_POSITION, text)
    else:
        specifier = node_builders.make_node("TypeSpecifier", [head], NO_POSITION, NO_POSITION, text)
        node = Node(specifier, [], head.start, NO_POSITION, text)
    _push_frame(state, node, text, start)


def open_group(state: ParseState, text: str, start: int) -> None:
    """Open a bracket that needs no head, such as `{` or `(`.

    After a complete operand, the group is a factor.
    """
    if state.has_operand or not state.frames:
        begin_operand(state, start)
    head = _LIST_HEAD if text == "{" else symbol(GROUP_BRACKETS[text][1])
    _push_frame(state, Node(head, [], start, NO_POSITION, text), text, start)


def _push_frame(state: ParseState, node: Node, text: str, start: int) -> None:
    """Enter a bracket. `frame_base` separates its operators from the pending ones outside."""
    state.frames.append((node, text, start, state.frame_base))
    state.frame_base = len(state.pending)
    state.has_operand = state.saw_line_break = False


def add_comma(state: ParseState, _text: str, start: int) -> None:
    """End the current argument of the innermost bracket.

    Commas outside of brackets and in parentheses are reported as problems.
    """
    if not state.frames:
        state.report_problem("A comma outside of brackets", start, state.position)
        finish_pending_expression(state, start)
        return
    node, bracket, _, _ = state.frames[-1]
    if bracket == "(":
        state.report_problem("A comma in parentheses", start, state.position)
    # The common case, a plain operand without pending operators, needs no reduction.
    if state.has_operand and len(state.pending) == state.frame_base:
        node.args.append(state.operands.pop())
        state.has_operand = False
    else:
        node.args.append(_pop_argument(state, start))


def _pop_argument(state: ParseState, position: int) -> Expression:
    """Return the argument before a comma or closing bracket. An omitted one is `Null`."""
    if not state.has_operand:
        if len(state.pending) > state.frame_base:
            insert_missing_operand(state, position)
        else:
            # Kernels insert `Null` for an omitted argument, with a message.
            state.operands.append(Atom("symbol", "Null", position, position))
    state.reduce(0)
    state.has_operand = False
    return state.operands.pop()


def close_bracket(state: ParseState, text: str, start: int) -> None:
    """Close a bracket, and report and close any unclosed brackets inside it."""
    frames, openers = state.frames, _OPENERS[text]
    if not frames or frames[-1][1] not in openers:
        # A bracket without a partner is skipped, as closing unrelated brackets would lose more.
        if not any(bracket in openers for _, bracket, _, _ in frames[-_MAX_UNCLOSED_BRACKETS:]):
            state.report_problem(f"Unexpected {text}", start, state.position)
            return
        while frames[-1][1] not in openers:
            close_unclosed_bracket(state, start)
    if frames[-1][1] == "[[":
        _close_part(state, start)
    _close_frame(state, start, state.position)


def _close_part(state: ParseState, start: int) -> None:
    """Consume the second bracket of `]]`, which is a separate token."""
    # Spaces are allowed between the two brackets of `]]`.
    space = tokens.SPACE_PATTERN.match(state.text, state.position)
    bracket_start = space.end() if space else state.position
    if state.text.startswith("]", bracket_start):
        state.position = bracket_start + 1
    else:
        state.report_problem("Expected ]] and found ]", start, state.position)


def close_unclosed_bracket(state: ParseState, position: int) -> None:
    """Report the innermost bracket as unclosed and close it where the last token ended."""
    _, bracket, start, _ = state.frames[-1]
    opening = tokens.OPENING_BRACKET.match(state.text, start)
    state.report_problem(f"{bracket} is not closed", start, opening.end() if opening else start)
    _close_frame(state, position, state.previous_end)


def _close_frame(state: ParseState, position: int, end: int) -> None:
    """Add the last argument, complete the node of the innermost bracket, and push it."""
    node, bracket, _, base = state.frames[-1]
    has_operators = len(state.pending) > state.frame_base
    if state.has_operand and not has_operators:
        node.args.append(state.operands.pop())
    elif state.has_operand or has_operators or _has_arguments(node, bracket):
        node.args.append(_pop_argument(state, position))
    state.frames.pop()
    state.frame_base = base
    node.end = end
    state.operands.append(_unwrap_group(state, node) if bracket == "(" else node)
    state.has_operand = True


def _has_arguments(node: Node, bracket: str) -> bool:
    """Return whether an argument was added after the opening bracket.

    The first argument of `Part` is the expression before the bracket and does not count.
    """
    return len(node.args) > (bracket in _PART_BRACKETS)


def _unwrap_group(state: ParseState, group: Node) -> Expression:
    """Return the content of parentheses, with a position that includes the parentheses."""
    if len(group.args) == 1:
        operand = group.args[0]
        # Parentheses do not create a node, but fixes that replace the operand must cover them.
        operand.start, operand.end, operand.is_grouped = group.start, group.end, True
        return operand
    if not group.args:
        state.report_problem("Nothing in parentheses", group.start, group.end)
        return Atom("error", "()", group.start, group.end)
    group.is_grouped = True
    return group
