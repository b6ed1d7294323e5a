"""Handlers for operands, brackets and commas, including missing ones, and expression ends."""

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
from paddock.wolfram.parse_state import FRAME_BRACKET, PendingOperator

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.parse_state import ParseState


_MAX_QUOTED_CHARACTERS = 12
"""Maximum number of source characters to quote in a problem message."""
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
    """Push a complete operand such as `x` or `f[x]` on the parser's stack.

    An operand that directly follows another one, as in `a b`, is multiplied with it. After a line
    break at the top level, it starts the next expression instead.
    """
    if state.has_operand or not state.frames:
        begin_operand(state, start)
    state.operands.append(operand)
    state.has_operand = True


def begin_operand(state: ParseState, start: int) -> None:
    """Prepare the parser's stacks for an operand that starts at an offset of the source.

    If a complete operand precedes it, both are multiplied, or the new one starts the next
    expression. At the top level, the start of an expression is recorded. A line that ends with `;`
    or `;;` completes its expression there.
    """
    if state.has_operand:
        join_adjacent(state, start)
        return
    if state.frames:
        return
    has_line_break = state.has_line_break_before(start)
    if not state.pending:
        state.mark_expression_start(start)
    elif has_line_break and state.pending[-1].text in (";", ";;"):
        insert_missing_operand(state, start)
        finish_expression(state, start)


def join_adjacent(state: ParseState, start: int) -> None:
    """Multiply adjacent operands, or end a top-level expression at its line break."""
    if not state.frames and state.has_line_break_before(start):
        finish_expression(state, start)
        return
    begin_product(state, start)


def begin_product(state: ParseState, start: int) -> None:
    """Push the implicit multiplication of adjacent operands (`a b`)."""
    state.reduce(TIMES_PRECEDENCE)
    state.push_operator(PendingOperator(TIMES_PRECEDENCE, IMPLICIT_TIMES, make_chain, start))


def begin_span(state: ParseState, start: int) -> None:
    """Begin a span whose first operand is missing and defaults to 1."""
    push_operand(state, Atom("number", "1", start, start), start)
    state.push_operator(PendingOperator(SPAN_PRECEDENCE, ";;", make_span, start))


def expects_span_end(state: ParseState) -> bool:
    """Return whether an operand missing here would be the end of a span."""
    last = state.get_last_operator()
    return last is not None and last.text == ";;"


def insert_missing_operand(state: ParseState, position: int, *, before_call: bool = False) -> None:
    """Push the default for an omitted operand, such as `Null` after the semicolon of `a;`.

    If the operand must not be omitted, a syntax problem is reported, and an error atom is pushed.

    Args:
        state: The parser state.
        position: The offset where the operand is expected.
        before_call: True if a `[` follows, as in `a; [x]`. In this case, the head of a call is
            missing, which does not default to `Null`.
    """
    last = state.get_last_operator()
    if last is not None and last.text == ";" and not before_call:
        # Place the operand at the sign, because a comment may precede `position`.
        sign_end = last.start + len(last.text)
        missing = Atom("symbol", "Null", sign_end, sign_end)
    elif expects_span_end(state):
        _split_stepless_span(state)
        missing = Atom("symbol", "All", state.previous_end, state.previous_end)
    else:
        lines = state.text[position : position + _MAX_QUOTED_CHARACTERS].splitlines()
        next_text = repr(lines[0]) if lines else "the end"
        state.report_problem(f"Expected an expression before {next_text}", position, position)
        missing = Atom("error", "", position, position)
    state.operands.append(missing)
    state.has_operand = True


def _split_stepless_span(state: ParseState) -> None:
    """Split the pending span `a ;; b ;;`, which has no step, into `a ;; b` times a new span.

    Like kernels, the parser reads the second `;;` as the sign of the step only if a step follows.
    Other pending operators are left unchanged.
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

    A missing last operand gets its default, or is reported as a syntax problem.
    """
    if not state.has_operand and state.pending:
        insert_missing_operand(state, position)
    if state.has_operand:
        finish_expression(state, position)


def open_call(state: ParseState, text: str, start: int) -> None:
    """Handle the opening bracket of a call `f[…]` or a part `f[[…]]`.

    A missing head is reported as a syntax problem, and replaced by an error atom.
    """
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
    """Handle an opening bracket that needs no head, such as `{` or `(`.

    After a complete operand, as in `a (b + c)`, the bracket begins a factor of a product.
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
    """Handle a comma, which ends an argument of the innermost bracket.

    Commas outside of brackets and in parentheses are reported as syntax problems.
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
    """Complete the argument before a comma or closing bracket, and remove it from the stack.

    An omitted argument is `Null`, as in `f[a, , b]`.
    """
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
    """Handle a closing bracket.

    Unclosed brackets inside it are reported as syntax problems and closed too. A bracket that was
    never opened is reported and skipped, because closing other brackets would lose more.
    """
    frames, openers = state.frames, _OPENERS[text]
    if not frames or frames[-1][FRAME_BRACKET] not in openers:
        if not any(bracket in openers for _, bracket, _, _ in frames[-_MAX_UNCLOSED_BRACKETS:]):
            state.report_problem(f"Unexpected {text}", start, state.position)
            return
        while frames[-1][FRAME_BRACKET] not in openers:
            close_unclosed_bracket(state, start)
    if frames[-1][FRAME_BRACKET] == "[[":
        _close_part(state, start)
    _close_frame(state, start, state.position)


def _close_part(state: ParseState, start: int) -> None:
    """Consume the second bracket of `]]`, which can follow the first one after spaces.

    A missing bracket is reported as a syntax problem.
    """
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
    """Complete the node of the innermost bracket with its last argument, and push it as an operand.

    Args:
        state: The parser state.
        position: The offset of the closing bracket.
        end: The offset after the closing bracket.
    """
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
    """Return the expression in parentheses, which have no node of their own.

    Empty parentheses are reported as a syntax problem. If the parentheses contain commas, a problem
    that has already been reported, the node of the parentheses is returned.
    """
    if len(group.args) == 1:
        operand = group.args[0]
        # The span includes the parentheses, because fixes that replace the operand must cover them.
        operand.start, operand.end, operand.is_grouped = group.start, group.end, True
        return operand
    if not group.args:
        state.report_problem("Nothing in parentheses", group.start, group.end)
        return Atom("error", "()", group.start, group.end)
    group.is_grouped = True
    return group
