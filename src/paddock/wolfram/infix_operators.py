"""Handlers for prefix, infix and postfix operators, called as the parser reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram import node_builders, tokens
from paddock.wolfram.expressions import Atom, Node, is_atom, quote_string, symbol
from paddock.wolfram.operands import (
    begin_operand,
    begin_product,
    begin_span,
    expects_span_end,
    insert_missing_operand,
    join_adjacent,
    push_operand,
)
from paddock.wolfram.operators import (
    INFIX_OPERATORS,
    INTEGRAL_PRECEDENCE,
    OPTIONAL_PRECEDENCE,
    PREFIX_OPERATORS,
)
from paddock.wolfram.parse_state import INTEGRAL_SIGN, PendingOperator

if TYPE_CHECKING:
    import re
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.parse_state import ParseState

    OperatorHandler = Callable[[ParseState, "_InfixSyntax", int], None]
    NodeBuilder = Callable[[ParseState, PendingOperator], None]


class _InfixSyntax(NamedTuple):
    """The syntax of an operator that follows an operand: infix `a + b` or postfix `a!`."""

    text: str
    """The operator sign, such as `+`."""
    precedence: int
    head: str
    """The head of the resulting expression, such as `Plus`."""
    handle: OperatorHandler
    """The function to call when the parser has read the operator. It receives the sign's start."""
    build: NodeBuilder
    """The function to call when the operator's operands are complete."""


def handle_operator(state: ParseState, text: str, start: int) -> None:
    """Handle an operator token that starts at the offset `start` in the source.

    Some signs (`-`, `!`, `;;`) are both prefix and infix operators. Such a sign is a prefix
    operator unless a complete operand precedes it.
    """
    if state.has_operand:
        _handle_after_operand(state, text, start)
    elif text in PREFIX_OPERATORS:
        _handle_prefix(state, text, start)
    elif text == ";;" and not expects_span_end(state):
        # `;;` without a first operand is a span that starts at 1.
        begin_span(state, start)
    else:
        insert_missing_operand(state, start)
        last = state.get_last_operator()
        if last is not None and last.text in (";", ";;") and text != last.text:
            # `a; // f` means `(a;) // f`: the omitted operand completes the operator before it.
            state.reduce_through(last)
        _handle_after_operand(state, text, start)


def _handle_after_operand(state: ParseState, text: str, start: int) -> None:
    """Handle an operator sign that follows a complete operand.

    Normally, this is an infix or postfix operator. A prefix operator begins a new factor of a
    product, or a new expression if it is on a new line.
    """
    operator = _INFIX_SYNTAX.get(text)
    if operator is None or (
        not state.frames and text in PREFIX_OPERATORS and state.has_line_break_before(start)
    ):
        if not state.frames and operator is not None:
            # `has_line_break_before` has reset this, and `join_adjacent` will check it again.
            state.saw_line_break = True
        join_adjacent(state, start)
        _handle_prefix(state, text, start)
        return
    state.saw_line_break = False
    operator.handle(state, operator, start)


def _handle_prefix(state: ParseState, text: str, start: int) -> None:
    """Push a prefix operator onto the stack. Its node is built when its operand is complete."""
    if not state.frames:
        begin_operand(state, start)
    # When the parser reads `\[DifferentialD]`, it uses this index to find the integral.
    if text == INTEGRAL_SIGN:
        state.integrals.append(len(state.pending))
    precedence = PREFIX_OPERATORS[text].precedence
    state.push_operator(
        PendingOperator(precedence, text, node_builders.make_prefix, start, operand_count=1)
    )


def _push_infix(state: ParseState, operator: _InfixSyntax, start: int) -> None:
    """Push an operator whose left operand has been read."""
    state.push_operator(PendingOperator(operator.precedence, operator.text, operator.build, start))


def _apply_to_operand(state: ParseState, operator: _InfixSyntax, *args: Expression) -> None:
    """Replace the last operand with the node that applies a postfix operator to it: `a!`.

    The node is a complete operand, so nothing is pushed on the operator stack. Its expression can
    have additional arguments, such as the tag of `f::usage`.
    """
    operand = state.operands[-1]
    state.operands[-1] = node_builders.make_node(
        operator.head, [operand, *args], operand.start, state.position, operator.text
    )


def _handle_left(state: ParseState, operator: _InfixSyntax, start: int) -> None:
    """Push a left-associative operator, after completing any that bind at least as tightly."""
    state.reduce(operator.precedence)
    _push_infix(state, operator, start)


def _handle_right(state: ParseState, operator: _InfixSyntax, start: int) -> None:
    """Push a right-associative operator such as `=` onto the stack.

    Pending operators of the same precedence are not completed, because `a = b = c` means
    `a = (b = c)`.
    """
    state.reduce(operator.precedence + 1)
    last = state.get_last_operator()
    # `t /: a = b` is one operator with three operands, not an assignment to `t /: a`.
    if last is not None and last.text == "/:" and operator.text in ("=", ":="):
        last.text, last.operand_count = f"/: {operator.text}", 3
        state.has_operand = False
        return
    _push_infix(state, operator, start)


def _handle_postfix(state: ParseState, operator: _InfixSyntax, _start: int) -> None:
    state.reduce(operator.precedence)
    _apply_to_operand(state, operator)


def _handle_unset(state: ParseState, operator: _InfixSyntax, _start: int) -> None:
    """Handle the postfix operator `=.`, which removes a definition: `a =.` or `t /: a =.`."""
    state.reduce(operator.precedence + 1)
    last = state.get_last_operator()
    if last is None or last.text != "/:":
        _apply_to_operand(state, operator)
        return
    # `t /: a =.` is one operator, like `t /: a = b`.
    state.pending.pop()
    target, tag = state.operands.pop(), state.operands[-1]
    state.operands[-1] = node_builders.make_node(
        "TagUnset", [tag, target], tag.start, state.position, f"/: {operator.text}"
    )


def _handle_tilde(state: ParseState, operator: _InfixSyntax, start: int) -> None:
    """Handle `~`. In `a ~ f ~ b`, the second sign completes the first."""
    state.reduce(operator.precedence + 1)
    if not _continue_operator(state, operator.text, start):
        _handle_left(state, operator, start)


def _handle_span(state: ParseState, operator: _InfixSyntax, start: int) -> None:
    """Handle `;;`, the span operator, which has two or three operands: `a ;; b` or `a ;; b ;; c`.

    A third `;;` begins a new span, which becomes another factor of a product.
    """
    state.reduce(operator.precedence + 1)
    if _continue_operator(state, operator.text, start):
        return
    last = state.get_last_operator()
    # A span has at most three operands, so the complete one becomes a factor of a product.
    if last is not None and last.text == operator.text:
        state.reduce_through(last)
        begin_product(state, start)
        begin_span(state, start)
    else:
        _push_infix(state, operator, start)


def _continue_operator(state: ParseState, text: str, start: int) -> bool:
    """Use a sign as the second sign of a three-operand operator such as `a ~ f ~ b`.

    This is possible if the last pending operator has the same sign and two operands so far.
    Returns whether the sign was used. If not, it begins a new operator.
    """
    last = state.get_last_operator()
    if last is None or last.text != text or last.operand_count != 2:
        return False
    last.operand_count, last.second_start = 3, start
    state.has_operand = False
    return True


def _handle_colon(state: ParseState, operator: _InfixSyntax, start: int) -> None:
    """Handle `:`, which names a pattern in `x : p` and gives it a default in `x : p : d`.

    After a symbol, it names a pattern. After any other operand, a default value follows. A pattern
    that is named before the sign, as in `x : p : d`, is completed first.
    """
    pattern_operator = state.find_looser_operator(operator.precedence)
    if pattern_operator is not None and pattern_operator.precedence == operator.precedence:
        state.reduce_through(pattern_operator)
    left = state.operands[-1]
    if is_atom(left, "symbol") and not left.is_grouped:
        _push_infix(state, operator, start)
    else:
        build = node_builders.make_optional
        state.push_operator(PendingOperator(OPTIONAL_PRECEDENCE, operator.text, build, start))


def _handle_derivative(state: ParseState, operator: _InfixSyntax, _start: int) -> None:
    """Handle the derivative mark in `f'`, which is `Derivative[1][f]`.

    Each additional mark raises the order by one: `f''` is `Derivative[2][f]`.
    """
    state.reduce(operator.precedence)
    function = state.operands[-1]
    order = 1
    if isinstance(function, Node) and function.form == operator.text and not function.is_grouped:
        # `f''` is one second derivative, not the derivative of a derivative.
        order += _get_derivative_order(function)
        function = function.args[0]
    head = Node(symbol("Derivative"), [Atom("number", str(order))])
    state.operands[-1] = Node(head, [function], function.start, state.position, operator.text)


def _get_derivative_order(node: Node) -> int:
    order = node.head.args[0] if isinstance(node.head, Node) else None
    return int(order.text) if isinstance(order, Atom) else 0


def _handle_differential(state: ParseState, operator: _InfixSyntax, start: int) -> None:
    r"""Handle `\[DifferentialD]`, the "d" in `\[Integral] f \[DifferentialD] x`.

    It ends the integrand of the innermost integral, and the integration variable follows. Outside
    an integral, it is a prefix operator in a factor of a product.
    """
    integral = state.find_open_integral()
    if integral is not None:
        state.reduce(INTEGRAL_PRECEDENCE + 1)
        # After an operator that binds more loosely than the integral, this cannot end the
        # integrand.
        if state.pending[-1] is integral:
            state.integrals.pop()
            integral.build, integral.operand_count = node_builders.make_integral, 2
            integral.precedence = operator.precedence
            state.has_operand = False
            return
    join_adjacent(state, start)
    _handle_prefix(state, operator.text, start)


def _handle_message_name(state: ParseState, operator: _InfixSyntax, start: int) -> None:
    """Handle `::` in the name of a message such as `f::usage`, and read the tag after it.

    A second tag, as in `f::usage::German`, is added to the same node.
    """
    state.reduce(operator.precedence)
    operand = state.operands[-1]
    # The tag is read as text, because it is a string, not a symbol, in `f::usage`.
    message = "Expected the name of a message after ::"
    tag = _read_unquoted_string(state, tokens.MESSAGE_TAG, message, start)
    # `f::tag::German` is one node with both tags.
    if isinstance(operand, Node) and operand.form == operator.text and not operand.is_grouped:
        operand.args.append(tag)
        operand.end = state.position
    else:
        _apply_to_operand(state, operator, tag)


def _handle_put(state: ParseState, operator: _InfixSyntax, start: int) -> None:
    """Handle `>>` or `>>>`, and read the file name that follows it."""
    state.reduce(operator.precedence)
    _apply_to_operand(state, operator, _read_file_name(state, start))


def handle_get(state: ParseState, text: str, start: int) -> None:
    """Handle `<< file`. A complete `Get` node becomes an operand."""
    file = _read_file_name(state, start)
    node = node_builders.make_node("Get", [file], start, state.position, text)
    push_operand(state, node, start)


def _read_file_name(state: ParseState, start: int) -> Atom:
    # File names need no quotes and may contain operators, so they are not tokenized.
    message = "Expected the name of a file"
    return _read_unquoted_string(state, tokens.FILE_NAME, message, start)


def _read_unquoted_string(
    state: ParseState, pattern: re.Pattern[str], message: str, start: int
) -> Atom:
    """Read the unquoted string that follows an operator such as `::`.

    If the string is missing, a problem is reported, and the returned atom is an error.

    Args:
        state: The parser state. Its position moves to the end of the string.
        pattern: The regular expression whose first group matches the string.
        message: The problem to report if the string is missing.
        start: The start of the operator before the string.
    """
    match = pattern.match(state.text, state.position)
    if match is None:
        state.report_problem(message, start, state.position)
        return Atom("error", "", state.position, state.position)
    state.position = match.end()
    text = match[1] if match[1].startswith('"') else quote_string(match[1])
    return Atom("string", text, match.start(1), match.end())


_SYNTAX_BY_SHAPE: dict[str, tuple[OperatorHandler, NodeBuilder]] = {
    "left": (_handle_left, node_builders.make_infix),
    "right": (_handle_right, node_builders.make_infix),
    "chain": (_handle_left, node_builders.make_chain),
    "compare": (_handle_left, node_builders.make_comparison),
    "vector": (_handle_left, node_builders.make_vector_comparison),
    "postfix": (_handle_postfix, node_builders.make_infix),
}
_SYNTAX_BY_HEAD: dict[str, tuple[OperatorHandler, NodeBuilder]] = {
    "Subtract": (_handle_left, node_builders.make_difference),
    "Divide": (_handle_left, node_builders.make_quotient),
    "Divisible": (_handle_left, node_builders.make_divisible),
    "CompoundExpression": (_handle_left, node_builders.make_chain),
    "Postfix": (_handle_left, node_builders.make_postfix_call),
    "Pattern": (_handle_colon, node_builders.make_infix),
    "Prefix": (_handle_right, node_builders.make_application),
    "Application": (_handle_right, node_builders.make_infix),
    "TagSet": (_handle_right, node_builders.make_tag_assignment),
    "Infix": (_handle_tilde, node_builders.make_infix_call),
    "Span": (_handle_span, node_builders.make_span),
    "Unset": (_handle_unset, node_builders.make_infix),
    "Put": (_handle_put, node_builders.make_infix),
    "PutAppend": (_handle_put, node_builders.make_infix),
    "Derivative": (_handle_derivative, node_builders.make_infix),
    "DifferentialD": (_handle_differential, node_builders.make_prefix),
    "CapitalDifferentialD": (_handle_differential, node_builders.make_prefix),
    "MessageName": (_handle_message_name, node_builders.make_infix),
}
"""Handlers and node builders for operators with the shape `special`.

Handlers of postfix operators and handlers that read text do not use the builder.
"""
_INFIX_SYNTAX = {
    text: _InfixSyntax(
        text,
        operator.precedence,
        operator.head,
        *(_SYNTAX_BY_SHAPE.get(operator.shape) or _SYNTAX_BY_HEAD[operator.head]),
    )
    for text, operator in INFIX_OPERATORS.items()
}
