"""Operators: what each does when it comes, with an operand before it or without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram import node_builders, tokens
from paddock.wolfram.expressions import Atom, Node, quote_string, symbol
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
    DIFFERENTIAL_PRECEDENCE,
    INFIX_OPERATORS,
    INTEGRAL_PRECEDENCE,
    OPTIONAL_PRECEDENCE,
    PREFIX_OPERATORS,
    SET_PRECEDENCE,
)
from paddock.wolfram.parse_state import INTEGRAL_SIGN

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.operators import InfixOperator
    from paddock.wolfram.parse_state import ParseState

    OperatorHandler = Callable[[ParseState, InfixOperator, str, int], None]


def handle_operator(reading: ParseState, text: str, start: int) -> None:
    """An operator stands here."""
    if reading.is_ready:
        _handle_after_operand(reading, text, start)
    elif text in PREFIX_OPERATORS:
        _handle_prefix(reading, text, start)
    elif text == ";;" and not expects_span_end(reading):
        begin_span(reading, start)
    else:
        insert_missing_operand(reading, start)
        last = reading.get_last_operator()
        if last is not None and last.text in (";", ";;") and text != last.text:
            # `a; // f` is `(a;) // f`: what is left out ends what the sign belongs to.
            reading.reduce_through(last)
        _handle_after_operand(reading, text, start)


def _handle_after_operand(reading: ParseState, text: str, start: int) -> None:
    known = _INFIX_HANDLERS.get(text)
    if known is None or (
        not reading.frames and text in PREFIX_OPERATORS and reading.has_line_break_before(start)
    ):
        # It stands before an operand, which is a factor or on a line of its own.
        if reading.frames or known is None:
            join_adjacent(reading, start)
        else:
            reading.has_crossed = True
            join_adjacent(reading, start)
        _handle_prefix(reading, text, start)
        return
    reading.has_crossed = False
    act, operator = known
    act(reading, operator, text, start)


def _handle_prefix(reading: ParseState, text: str, start: int) -> None:
    if not reading.frames:
        begin_operand(reading, start)
    if text == INTEGRAL_SIGN:
        reading.integrals.append(len(reading.pending))
    reading.push_operator(
        PREFIX_OPERATORS[text].precedence, text, node_builders.make_prefix, start, 1
    )


def _handle_left(reading: ParseState, operator: InfixOperator, text: str, start: int) -> None:
    reading.reduce(operator.precedence)
    reading.push_operator(operator.precedence, text, _NODE_BUILDERS[text], start)


def _handle_right(reading: ParseState, operator: InfixOperator, text: str, start: int) -> None:
    reading.reduce(operator.precedence + 1)
    last = reading.get_last_operator()
    if last is not None and last.text == "/:" and text in ("=", ":="):
        last.text, last.size = f"/: {text}", 3
        reading.is_ready = False
        return
    reading.push_operator(operator.precedence, text, _NODE_BUILDERS[text], start)


def _handle_postfix(reading: ParseState, operator: InfixOperator, text: str, _start: int) -> None:
    reading.reduce(operator.precedence)
    inner = reading.operands[-1]
    reading.operands[-1] = node_builders.make_node(
        operator.head, [inner], inner.start, reading.position, text
    )


def _handle_unset(reading: ParseState, _operator: InfixOperator, text: str, _start: int) -> None:
    reading.reduce(SET_PRECEDENCE + 1)
    last, inner = reading.get_last_operator(), reading.operands[-1]
    if last is not None and last.text == "/:":
        reading.pending.pop()
        reading.operands.pop()
        tag = reading.operands[-1]
        made = node_builders.make_node(
            "TagUnset", [tag, inner], tag.start, reading.position, f"/: {text}"
        )
    else:
        made = node_builders.make_node("Unset", [inner], inner.start, reading.position, text)
    reading.operands[-1] = made


def _handle_tilde(reading: ParseState, operator: InfixOperator, text: str, start: int) -> None:
    """`a ~ f ~ b`: the second sign belongs to the first."""
    reading.reduce(operator.precedence + 1)
    if not _continues_operator(reading, text, start):
        reading.reduce(operator.precedence)
        reading.push_operator(operator.precedence, text, node_builders.make_tilde, start)


def _handle_span(reading: ParseState, operator: InfixOperator, text: str, start: int) -> None:
    """`a ;; b ;; c`: the second sign belongs to the first, and a third begins another span."""
    reading.reduce(operator.precedence + 1)
    if _continues_operator(reading, text, start):
        return
    last = reading.get_last_operator()
    if last is not None and last.text == text:
        reading.reduce_through(last)
        begin_product(reading, start)
        begin_span(reading, start)
    else:
        reading.push_operator(operator.precedence, text, node_builders.make_span, start)


def _continues_operator(reading: ParseState, text: str, start: int) -> bool:
    last = reading.get_last_operator()
    if last is None or last.text != text or last.size != 2:
        return False
    last.size, last.second = 3, start
    reading.is_ready = False
    return True


def _handle_colon(reading: ParseState, operator: InfixOperator, text: str, start: int) -> None:
    """`x : p` and `p : d`: it belongs to what stands right before it, whatever stands further left.

    In a pattern with a name it belongs to the whole of that, which then ends.
    """
    named = reading.find_looser_operator(operator.precedence)
    if named is not None and named.precedence == operator.precedence:
        reading.reduce_through(named)
    left = reading.operands[-1]
    if isinstance(left, Atom) and left.kind == "symbol" and not left.is_grouped:
        reading.push_operator(operator.precedence, text, node_builders.make_pattern, start)
    else:
        reading.push_operator(OPTIONAL_PRECEDENCE, text, node_builders.make_optional, start)


def _handle_derivative(
    reading: ParseState, operator: InfixOperator, text: str, _start: int
) -> None:
    reading.reduce(operator.precedence)
    inner = reading.operands[-1]
    if isinstance(inner, Node) and inner.form == text and not inner.is_grouped:
        order = inner.head.args[0]  # type: ignore[union-attr]  # made below
        order.text = str(int(order.text) + 1)  # type: ignore[union-attr]  # made below
        inner.end = reading.position
        return
    head = Node(symbol("Derivative"), [Atom("number", "1")])
    reading.operands[-1] = Node(head, [inner], inner.start, reading.position, text)


def _handle_differential(
    reading: ParseState, _operator: InfixOperator, text: str, start: int
) -> None:
    r"""`\[DifferentialD] x` ends an integral, or is a factor."""
    integral = reading.find_open_integral()
    if integral is not None:
        reading.reduce(INTEGRAL_PRECEDENCE + 1)
        if reading.pending[-1] is integral:
            reading.integrals.pop()
            integral.make, integral.size = node_builders.make_integral, 2
            integral.precedence = DIFFERENTIAL_PRECEDENCE
            reading.is_ready = False
            return
    join_adjacent(reading, start)
    _handle_prefix(reading, text, start)


def _handle_message_name(
    reading: ParseState, operator: InfixOperator, text: str, start: int
) -> None:
    reading.reduce(operator.precedence)
    inner = reading.operands[-1]
    found = tokens.MESSAGE_TAG.match(reading.text, reading.position)
    if found is None:
        reading.report_problem("Expected the name of a message after ::", start, reading.position)
        tag = Atom("error", "", reading.position, reading.position)
    else:
        reading.position = found.end()
        tag = Atom("string", _quote_if_needed(found[1]), found.start(1), found.end())
    if isinstance(inner, Node) and inner.form == text and not inner.is_grouped:
        inner.args.append(tag)
        inner.end = reading.position
        return
    reading.operands[-1] = node_builders.make_node(
        operator.head, [inner, tag], inner.start, reading.position, text
    )


def _handle_put(reading: ParseState, operator: InfixOperator, text: str, start: int) -> None:
    reading.reduce(operator.precedence)
    inner, file = reading.operands[-1], _read_file_name(reading, start)
    reading.operands[-1] = node_builders.make_node(
        operator.head, [inner, file], inner.start, reading.position, text
    )


def handle_get(reading: ParseState, text: str, start: int) -> None:
    """`<< file`."""
    previous = reading.previous
    file = _read_file_name(reading, start)
    got = node_builders.make_node("Get", [file], start, reading.position, text)
    reading.previous = previous
    push_operand(reading, got, start)


def _read_file_name(reading: ParseState, start: int) -> Atom:
    found = tokens.FILE_NAME.match(reading.text, reading.position)
    if found is None:
        reading.report_problem("Expected the name of a file", start, reading.position)
        return Atom("error", "", reading.position, reading.position)
    reading.position = found.end()
    return Atom("string", _quote_if_needed(found[1]), found.start(1), found.end())


def _quote_if_needed(text: str) -> str:
    return text if text.startswith('"') else quote_string(text)


_HANDLERS_BY_SHAPE: dict[str, tuple[OperatorHandler, Callable[..., None]]] = {
    "left": (_handle_left, node_builders.make_infix),
    "right": (_handle_right, node_builders.make_infix),
    "chain": (_handle_left, node_builders.make_chain),
    "compare": (_handle_left, node_builders.make_comparison),
    "vector": (_handle_left, node_builders.make_vector_comparison),
    "postfix": (_handle_postfix, node_builders.make_prefix),
}
_HANDLERS_BY_HEAD: dict[str, tuple[OperatorHandler, Callable[..., None]]] = {
    "Subtract": (_handle_left, node_builders.make_difference),
    "Divide": (_handle_left, node_builders.make_quotient),
    "Divisible": (_handle_left, node_builders.make_divisible),
    "CompoundExpression": (_handle_left, node_builders.make_compound),
    "Postfix": (_handle_left, node_builders.make_postfix_call),
    "Pattern": (_handle_colon, node_builders.make_pattern),
    "Prefix": (_handle_right, node_builders.make_application),
    "Application": (_handle_right, node_builders.make_infix),
    "TagSet": (_handle_right, node_builders.make_tag),
    "Infix": (_handle_tilde, node_builders.make_tilde),
    "Span": (_handle_span, node_builders.make_span),
    "Unset": (_handle_unset, node_builders.make_prefix),
    "Put": (_handle_put, node_builders.make_infix),
    "PutAppend": (_handle_put, node_builders.make_infix),
    "Derivative": (_handle_derivative, node_builders.make_prefix),
    "DifferentialD": (_handle_differential, node_builders.make_prefix),
    "CapitalDifferentialD": (_handle_differential, node_builders.make_prefix),
    "MessageName": (_handle_message_name, node_builders.make_infix),
}
"""What operators do that do not follow from their shape."""


def _select_handler(operator: InfixOperator) -> tuple[OperatorHandler, Callable[..., None]]:
    return (
        _HANDLERS_BY_HEAD[operator.head]
        if operator.shape == "special"
        else _HANDLERS_BY_SHAPE[operator.shape]
    )


_INFIX_HANDLERS = {
    text: (_select_handler(operator)[0], operator) for text, operator in INFIX_OPERATORS.items()
}
_NODE_BUILDERS = {text: _select_handler(operator)[1] for text, operator in INFIX_OPERATORS.items()}
