"""Operators: what each does when it comes, with an operand before it or without."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram import results, tokens
from paddock.wolfram.expressions import Atom, Node, quoted, symbol
from paddock.wolfram.operands import (
    add_operand,
    adjacent,
    before_operand,
    begin_span,
    fill,
    multiply,
    wants_span_end,
)
from paddock.wolfram.operators import (
    DIFFERENTIAL_PRECEDENCE,
    INFIX,
    INTEGRAL_PRECEDENCE,
    OPTIONAL_PRECEDENCE,
    PREFIX,
    SET_PRECEDENCE,
)
from paddock.wolfram.reading import INTEGRAL

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.operators import Operator
    from paddock.wolfram.reading import Reading

    Act = Callable[[Reading, Operator, str, int], None]


def operator(reading: Reading, text: str, start: int) -> None:
    """An operator stands here."""
    if reading.is_ready:
        _after_operand(reading, text, start)
    elif text in PREFIX:
        _prefix(reading, text, start)
    elif text == ";;" and not wants_span_end(reading):
        begin_span(reading, start)
    else:
        fill(reading, start)
        last = reading.last()
        if last is not None and last.text in (";", ";;") and text != last.text:
            # `a; // f` is `(a;) // f`: what is left out ends what the sign belongs to.
            reading.reduce_through(last)
        _after_operand(reading, text, start)


def _after_operand(reading: Reading, text: str, start: int) -> None:
    known = _AFTER.get(text)
    if known is None or (not reading.frames and text in PREFIX and reading.crosses(start)):
        # It stands before an operand, which is a factor or on a line of its own.
        if reading.frames or known is None:
            adjacent(reading, start)
        else:
            reading.has_crossed = True
            adjacent(reading, start)
        _prefix(reading, text, start)
        return
    reading.has_crossed = False
    act, operator = known
    act(reading, operator, text, start)


def _prefix(reading: Reading, text: str, start: int) -> None:
    if not reading.frames:
        before_operand(reading, start)
    if text == INTEGRAL:
        reading.integrals.append(len(reading.pending))
    reading.push(PREFIX[text].precedence, text, results.make_prefix, start, 1)


def _left(reading: Reading, operator: Operator, text: str, start: int) -> None:
    reading.reduce(operator.precedence)
    reading.push(operator.precedence, text, _MAKERS[text], start)


def _right(reading: Reading, operator: Operator, text: str, start: int) -> None:
    reading.reduce(operator.precedence + 1)
    last = reading.last()
    if last is not None and last.text == "/:" and text in ("=", ":="):
        last.text, last.size = f"/: {text}", 3
        reading.is_ready = False
        return
    reading.push(operator.precedence, text, _MAKERS[text], start)


def _postfix(reading: Reading, operator: Operator, text: str, _start: int) -> None:
    reading.reduce(operator.precedence)
    inner = reading.operands[-1]
    reading.operands[-1] = results.node(operator.head, [inner], inner.start, reading.position, text)


def _unset(reading: Reading, _operator: Operator, text: str, _start: int) -> None:
    reading.reduce(SET_PRECEDENCE + 1)
    last, inner = reading.last(), reading.operands[-1]
    if last is not None and last.text == "/:":
        reading.pending.pop()
        reading.operands.pop()
        tag = reading.operands[-1]
        made = results.node("TagUnset", [tag, inner], tag.start, reading.position, f"/: {text}")
    else:
        made = results.node("Unset", [inner], inner.start, reading.position, text)
    reading.operands[-1] = made


def _tilde(reading: Reading, operator: Operator, text: str, start: int) -> None:
    """`a ~ f ~ b`: the second sign belongs to the first."""
    reading.reduce(operator.precedence + 1)
    if not _is_second(reading, text, start):
        reading.reduce(operator.precedence)
        reading.push(operator.precedence, text, results.make_tilde, start)


def _span(reading: Reading, operator: Operator, text: str, start: int) -> None:
    """`a ;; b ;; c`: the second sign belongs to the first, and a third begins another span."""
    reading.reduce(operator.precedence + 1)
    if _is_second(reading, text, start):
        return
    last = reading.last()
    if last is not None and last.text == text:
        reading.reduce_through(last)
        multiply(reading, start)
        begin_span(reading, start)
    else:
        reading.push(operator.precedence, text, results.make_span, start)


def _is_second(reading: Reading, text: str, start: int) -> bool:
    last = reading.last()
    if last is None or last.text != text or last.size != 2:
        return False
    last.size, last.second = 3, start
    reading.is_ready = False
    return True


def _colon(reading: Reading, operator: Operator, text: str, start: int) -> None:
    """`x : p` and `p : d`: it belongs to what stands right before it, whatever stands further left.

    In a pattern with a name it belongs to the whole of that, which then ends.
    """
    named = reading.innermost(operator.precedence)
    if named is not None and named.precedence == operator.precedence:
        reading.reduce_through(named)
    left = reading.operands[-1]
    if isinstance(left, Atom) and left.kind == "symbol" and not left.is_grouped:
        reading.push(operator.precedence, text, results.make_pattern, start)
    else:
        reading.push(OPTIONAL_PRECEDENCE, text, results.make_optional, start)


def _derivative(reading: Reading, operator: Operator, text: str, _start: int) -> None:
    reading.reduce(operator.precedence)
    inner = reading.operands[-1]
    if isinstance(inner, Node) and inner.form == text and not inner.is_grouped:
        order = inner.head.args[0]  # type: ignore[union-attr]  # made below
        order.text = str(int(order.text) + 1)  # type: ignore[union-attr]  # made below
        inner.end = reading.position
        return
    head = Node(symbol("Derivative"), [Atom("number", "1")])
    reading.operands[-1] = Node(head, [inner], inner.start, reading.position, text)


def _differential(reading: Reading, _operator: Operator, text: str, start: int) -> None:
    r"""`\[DifferentialD] x` ends an integral, or is a factor."""
    integral = reading.open_integral()
    if integral is not None:
        reading.reduce(INTEGRAL_PRECEDENCE + 1)
        if reading.pending[-1] is integral:
            reading.integrals.pop()
            integral.make, integral.size = results.make_integral, 2
            integral.precedence = DIFFERENTIAL_PRECEDENCE
            reading.is_ready = False
            return
    adjacent(reading, start)
    _prefix(reading, text, start)


def _message_name(reading: Reading, operator: Operator, text: str, start: int) -> None:
    reading.reduce(operator.precedence)
    inner = reading.operands[-1]
    found = tokens.TAG.match(reading.text, reading.position)
    if found is None:
        reading.complain("Expected the name of a message after ::", start, reading.position)
        tag = Atom("error", "", reading.position, reading.position)
    else:
        reading.position = found.end()
        tag = Atom("string", _as_string(found[1]), found.start(1), found.end())
    if isinstance(inner, Node) and inner.form == text and not inner.is_grouped:
        inner.args.append(tag)
        inner.end = reading.position
        return
    reading.operands[-1] = results.node(
        operator.head, [inner, tag], inner.start, reading.position, text
    )


def _put(reading: Reading, operator: Operator, text: str, start: int) -> None:
    reading.reduce(operator.precedence)
    inner, file = reading.operands[-1], _file(reading, start)
    reading.operands[-1] = results.node(
        operator.head, [inner, file], inner.start, reading.position, text
    )


def get(reading: Reading, text: str, start: int) -> None:
    """`<< file`."""
    previous = reading.previous
    file = _file(reading, start)
    got = results.node("Get", [file], start, reading.position, text)
    reading.previous = previous
    add_operand(reading, got, start)


def _file(reading: Reading, start: int) -> Atom:
    found = tokens.FILE_NAME.match(reading.text, reading.position)
    if found is None:
        reading.complain("Expected the name of a file", start, reading.position)
        return Atom("error", "", reading.position, reading.position)
    reading.position = found.end()
    return Atom("string", _as_string(found[1]), found.start(1), found.end())


def _as_string(text: str) -> str:
    return text if text.startswith('"') else quoted(text)


_BY_SHAPE: dict[str, tuple[Act, Callable[..., None]]] = {
    "left": (_left, results.make_infix),
    "right": (_right, results.make_infix),
    "chain": (_left, results.make_chain),
    "compare": (_left, results.make_comparison),
    "vector": (_left, results.make_vector_comparison),
    "postfix": (_postfix, results.make_prefix),
}
_BY_HEAD: dict[str, tuple[Act, Callable[..., None]]] = {
    "Subtract": (_left, results.make_difference),
    "Divide": (_left, results.make_quotient),
    "Divisible": (_left, results.make_divisible),
    "CompoundExpression": (_left, results.make_compound),
    "Postfix": (_left, results.make_postfix_call),
    "Pattern": (_colon, results.make_pattern),
    "Prefix": (_right, results.make_application),
    "Application": (_right, results.make_infix),
    "TagSet": (_right, results.make_tag),
    "Infix": (_tilde, results.make_tilde),
    "Span": (_span, results.make_span),
    "Unset": (_unset, results.make_prefix),
    "Put": (_put, results.make_infix),
    "PutAppend": (_put, results.make_infix),
    "Derivative": (_derivative, results.make_prefix),
    "DifferentialD": (_differential, results.make_prefix),
    "CapitalDifferentialD": (_differential, results.make_prefix),
    "MessageName": (_message_name, results.make_infix),
}
"""What operators do that do not follow from their shape."""


def _of(operator: Operator) -> tuple[Act, Callable[..., None]]:
    return _BY_HEAD[operator.head] if operator.shape == "special" else _BY_SHAPE[operator.shape]


_AFTER = {text: (_of(operator)[0], operator) for text, operator in INFIX.items()}
_MAKERS = {text: _of(operator)[1] for text, operator in INFIX.items()}
