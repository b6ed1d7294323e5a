"""What becomes of operators once their operands are complete."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, is_symbol, symbol
from paddock.wolfram.operators import INFIX_OPERATORS, PREFIX_OPERATORS

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.parse_state import ParseState, PendingOperator

IMPLICIT_TIMES = "implicit times"
"""The form of a product of neighbours."""
PREFIX_FORM_START = "prefix "
"""What the form of an operator before its operand begins with."""

_CHAIN_FORMS = frozenset(
    {text for text, operator in INFIX_OPERATORS.items() if operator.shape == "chain"}
    | {"-", ";", IMPLICIT_TIMES}
)
_COMPARISON_FORMS = frozenset(
    text for text, operator in INFIX_OPERATORS.items() if operator.shape == "compare"
)
_VECTOR_FORMS = frozenset(
    text for text, operator in INFIX_OPERATORS.items() if operator.shape == "vector"
)


_get_head = cache(symbol)
"""One atom for all heads of a name that were not written: there are many, and none has a place."""


def make_node(head: str, args: list[Expression], start: int, end: int, form: str) -> Node:
    """A node whose head was not written."""
    return Node(_get_head(head), args, start, end, form)


def make_infix(reading: ParseState, pending: PendingOperator) -> None:
    """`a -> b` and the like."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    head = INFIX_OPERATORS[pending.text].head
    reading.operands[-1] = make_node(head, [left, right], left.start, right.end, pending.text)


def make_chain(reading: ParseState, pending: PendingOperator) -> None:
    """`a + b`, which goes on if a is a sum."""
    right = reading.operands.pop()
    head = "Times" if pending.text == IMPLICIT_TIMES else INFIX_OPERATORS[pending.text].head
    reading.operands[-1] = _extend_chain(head, reading.operands[-1], right, pending.text)


def _extend_chain(head: str, left: Expression, right: Expression, form: str) -> Node:
    if _is_chain(left, head):
        left.args.append(right)  # type: ignore[union-attr]  # a chain is a node
        left.end = right.end
        return left  # type: ignore[return-value]  # as above
    return make_node(head, [left, right], left.start, right.end, form)


def _is_chain(expression: Expression, head: str) -> bool:
    return (
        isinstance(expression, Node)
        and expression.form in _CHAIN_FORMS
        and not expression.is_grouped
        and is_symbol(expression.head, head)
    )


def make_difference(reading: ParseState, pending: PendingOperator) -> None:
    """`a - b` is a sum with `-b`; of a product, -1 becomes the first factor."""
    right = reading.operands.pop()
    if _is_chain(right, "Times"):
        right.args.insert(0, Atom("number", "-1"))  # type: ignore[union-attr]  # a chain is a node
        right.start = pending.place
        right.form = "-"  # type: ignore[union-attr]  # as above
        negative = right
    else:
        negative = _negate(right, pending.place, "-")
    reading.operands[-1] = _extend_chain("Plus", reading.operands[-1], negative, pending.text)


def _negate(inner: Expression, start: int, form: str) -> Expression:
    """A number with a sign, or a product with -1."""
    if isinstance(inner, Atom) and inner.kind == "number" and not inner.text.startswith("-"):
        text = "0" if inner.text == "0" else f"-{inner.text}"
        return Atom("number", text, start, inner.end)
    return make_node("Times", [Atom("number", "-1"), inner], start, inner.end, form)


def make_quotient(reading: ParseState, pending: PendingOperator) -> None:
    """`a/b` is `Times[a, Power[b, -1]]`."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    inverse = Node(symbol("Power"), [right, Atom("number", "-1")])
    reading.operands[-1] = make_node("Times", [left, inverse], left.start, right.end, pending.text)


def make_divisible(reading: ParseState, pending: PendingOperator) -> None:
    r"""`a \[Divides] b` is `Divisible[b, a]`."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    reading.operands[-1] = make_node(
        "Divisible", [right, left], left.start, right.end, pending.text
    )


def make_comparison(reading: ParseState, pending: PendingOperator) -> None:
    """`a < b < c` is one comparison, and with different signs an `Inequality`."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    head = INFIX_OPERATORS[pending.text].head
    if not isinstance(left, Node) or left.form not in _COMPARISON_FORMS or left.is_grouped:
        reading.operands[-1] = make_node(head, [left, right], left.start, right.end, pending.text)
        return
    if is_symbol(left.head, "Inequality"):
        left.args += [symbol(head), right]
    elif is_symbol(left.head, head):
        left.args.append(right)
    else:
        left.args = _expand_comparison(left, head, right)
        left.head = symbol("Inequality")
    left.end = right.end


def _expand_comparison(left: Node, head: str, right: Expression) -> list[Expression]:
    """The arguments of `Inequality` for `a < b` that goes on with another operator."""
    args: list[Expression] = [left.args[0]]
    for operand in left.args[1:]:
        args += [left.head, operand]
    return [*args, symbol(head), right]


def make_vector_comparison(reading: ParseState, pending: PendingOperator) -> None:
    """Comparisons of vectors take one list of all that is compared."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    head = INFIX_OPERATORS[pending.text].head
    if (
        isinstance(left, Node)
        and left.form in _VECTOR_FORMS
        and not left.is_grouped
        and is_symbol(left.head, head)
        and isinstance(left.args[0], Node)
    ):
        left.args[0].args.append(right)
        left.end = right.end
        return
    both = Node(symbol("List"), [left, right])
    reading.operands[-1] = make_node(head, [both], left.start, right.end, pending.text)


def make_prefix(reading: ParseState, pending: PendingOperator) -> None:
    """`-a`, `!a` and the like."""
    inner = reading.operands[-1]
    head, form = PREFIX_OPERATORS[pending.text].head, PREFIX_FORM_START + pending.text
    if head == "Minus":
        made = _negate(inner, pending.place, form)
    elif head == "NotNot":
        once = make_node("Not", [inner], pending.place + 1, inner.end, PREFIX_FORM_START + "!")
        made = make_node("Not", [once], pending.place, inner.end, PREFIX_FORM_START + "!")
    else:
        made = make_node(head, [inner], pending.place, inner.end, form)
    reading.operands[-1] = made


def make_integral(reading: ParseState, pending: PendingOperator) -> None:
    r"""`\[Integral] f \[DifferentialD] x`."""
    right = reading.operands.pop()
    inner = reading.operands[-1]
    reading.operands[-1] = make_node(
        "Integrate", [inner, right], pending.place, right.end, PREFIX_FORM_START + pending.text
    )


def make_compound(reading: ParseState, pending: PendingOperator) -> None:
    """`a; b`."""
    right = reading.operands.pop()
    reading.operands[-1] = _extend_chain(
        "CompoundExpression", reading.operands[-1], right, pending.text
    )


def make_postfix_call(reading: ParseState, pending: PendingOperator) -> None:
    """`a // f`."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    reading.operands[-1] = Node(right, [left], left.start, right.end, pending.text)


def make_application(reading: ParseState, pending: PendingOperator) -> None:
    """`f @ a`."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    reading.operands[-1] = Node(left, [right], left.start, right.end, pending.text)


def make_pattern(reading: ParseState, pending: PendingOperator) -> None:
    """`x : p` names a pattern."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    reading.operands[-1] = make_node("Pattern", [left, right], left.start, right.end, pending.text)


def make_optional(reading: ParseState, pending: PendingOperator) -> None:
    """`p : d` gives the default of a pattern."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    reading.operands[-1] = make_node("Optional", [left, right], left.start, right.end, pending.text)


def make_tag(reading: ParseState, pending: PendingOperator) -> None:
    """`t /: a = b`."""
    value = reading.operands.pop()
    if pending.size == 2:
        reading.report_problem("Expected = or := after /:", pending.place, pending.place + 2)
        tag = reading.operands[-1]
        args, head = [tag, value], "TagSet"
    else:
        inner = reading.operands.pop()
        tag = reading.operands[-1]
        args, head = [tag, inner, value], "TagSet" if pending.text == "/: =" else "TagSetDelayed"
    reading.operands[-1] = make_node(head, args, tag.start, value.end, pending.text)


def make_tilde(reading: ParseState, pending: PendingOperator) -> None:
    """`a ~ f ~ b`."""
    right = reading.operands.pop()
    if pending.size == 2:
        reading.report_problem("Expected a second ~", pending.place, pending.place + 1)
        left = reading.operands[-1]
        reading.operands[-1] = Node(right, [left], left.start, right.end, "~")
        return
    head = reading.operands.pop()
    left = reading.operands[-1]
    reading.operands[-1] = Node(head, [left, right], left.start, right.end, "~")


def make_span(reading: ParseState, pending: PendingOperator) -> None:
    """`a ;; b` and `a ;; b ;; c`."""
    args = reading.operands[-pending.size :]
    del reading.operands[-pending.size :]
    end = max(args[-1].end, pending.place + 2)
    reading.operands.append(make_node("Span", args, args[0].start, end, ";;"))
