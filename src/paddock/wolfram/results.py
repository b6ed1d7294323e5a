"""What becomes of operators once their operands are complete."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, is_symbol, symbol
from paddock.wolfram.operators import INFIX, PREFIX

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.reading import Pending, Reading

IMPLICIT_TIMES = "implicit times"
"""The form of a product of neighbours."""
PREFIXED = "prefix "
"""What the form of an operator before its operand begins with."""

_CHAINS = frozenset(
    {text for text, operator in INFIX.items() if operator.shape == "chain"}
    | {"-", ";", IMPLICIT_TIMES}
)
_COMPARISONS = frozenset(text for text, operator in INFIX.items() if operator.shape == "compare")
_VECTORS = frozenset(text for text, operator in INFIX.items() if operator.shape == "vector")


_head = cache(symbol)
"""One atom for all heads of a name that were not written: there are many, and none has a place."""


def node(head: str, args: list[Expression], start: int, end: int, form: str) -> Node:
    """A node whose head was not written."""
    return Node(_head(head), args, start, end, form)


def make_infix(reading: Reading, pending: Pending) -> None:
    """`a -> b` and the like."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    head = INFIX[pending.text].head
    reading.operands[-1] = node(head, [left, right], left.start, right.end, pending.text)


def make_chain(reading: Reading, pending: Pending) -> None:
    """`a + b`, which goes on if a is a sum."""
    right = reading.operands.pop()
    head = "Times" if pending.text == IMPLICIT_TIMES else INFIX[pending.text].head
    reading.operands[-1] = _chained(head, reading.operands[-1], right, pending.text)


def _chained(head: str, left: Expression, right: Expression, form: str) -> Node:
    if _is_chain(left, head):
        left.args.append(right)  # type: ignore[union-attr]  # a chain is a node
        left.end = right.end
        return left  # type: ignore[return-value]  # as above
    return node(head, [left, right], left.start, right.end, form)


def _is_chain(expression: Expression, head: str) -> bool:
    return (
        isinstance(expression, Node)
        and expression.form in _CHAINS
        and not expression.is_grouped
        and is_symbol(expression.head, head)
    )


def make_difference(reading: Reading, pending: Pending) -> None:
    """`a - b` is a sum with `-b`; of a product, -1 becomes the first factor."""
    right = reading.operands.pop()
    if _is_chain(right, "Times"):
        right.args.insert(0, Atom("number", "-1"))  # type: ignore[union-attr]  # a chain is a node
        right.start = pending.place
        right.form = "-"  # type: ignore[union-attr]  # as above
        negative = right
    else:
        negative = _negative(right, pending.place, "-")
    reading.operands[-1] = _chained("Plus", reading.operands[-1], negative, pending.text)


def _negative(inner: Expression, start: int, form: str) -> Expression:
    """A number with a sign, or a product with -1."""
    if isinstance(inner, Atom) and inner.kind == "number" and not inner.text.startswith("-"):
        text = "0" if inner.text == "0" else f"-{inner.text}"
        return Atom("number", text, start, inner.end)
    return node("Times", [Atom("number", "-1"), inner], start, inner.end, form)


def make_quotient(reading: Reading, pending: Pending) -> None:
    """`a/b` is `Times[a, Power[b, -1]]`."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    inverse = Node(symbol("Power"), [right, Atom("number", "-1")])
    reading.operands[-1] = node("Times", [left, inverse], left.start, right.end, pending.text)


def make_divisible(reading: Reading, pending: Pending) -> None:
    r"""`a \[Divides] b` is `Divisible[b, a]`."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    reading.operands[-1] = node("Divisible", [right, left], left.start, right.end, pending.text)


def make_comparison(reading: Reading, pending: Pending) -> None:
    """`a < b < c` is one comparison, and with different signs an `Inequality`."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    head = INFIX[pending.text].head
    if not isinstance(left, Node) or left.form not in _COMPARISONS or left.is_grouped:
        reading.operands[-1] = node(head, [left, right], left.start, right.end, pending.text)
        return
    if is_symbol(left.head, "Inequality"):
        left.args += [symbol(head), right]
    elif is_symbol(left.head, head):
        left.args.append(right)
    else:
        left.args = _spelled_out(left, head, right)
        left.head = symbol("Inequality")
    left.end = right.end


def _spelled_out(left: Node, head: str, right: Expression) -> list[Expression]:
    """The arguments of `Inequality` for `a < b` that goes on with another operator."""
    args: list[Expression] = [left.args[0]]
    for operand in left.args[1:]:
        args += [left.head, operand]
    return [*args, symbol(head), right]


def make_vector_comparison(reading: Reading, pending: Pending) -> None:
    """Comparisons of vectors take one list of all that is compared."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    head = INFIX[pending.text].head
    if (
        isinstance(left, Node)
        and left.form in _VECTORS
        and not left.is_grouped
        and is_symbol(left.head, head)
        and isinstance(left.args[0], Node)
    ):
        left.args[0].args.append(right)
        left.end = right.end
        return
    both = Node(symbol("List"), [left, right])
    reading.operands[-1] = node(head, [both], left.start, right.end, pending.text)


def make_prefix(reading: Reading, pending: Pending) -> None:
    """`-a`, `!a` and the like."""
    inner = reading.operands[-1]
    head, form = PREFIX[pending.text].head, PREFIXED + pending.text
    if head == "Minus":
        made = _negative(inner, pending.place, form)
    elif head == "NotNot":
        once = node("Not", [inner], pending.place + 1, inner.end, PREFIXED + "!")
        made = node("Not", [once], pending.place, inner.end, PREFIXED + "!")
    else:
        made = node(head, [inner], pending.place, inner.end, form)
    reading.operands[-1] = made


def make_integral(reading: Reading, pending: Pending) -> None:
    r"""`\[Integral] f \[DifferentialD] x`."""
    right = reading.operands.pop()
    inner = reading.operands[-1]
    reading.operands[-1] = node(
        "Integrate", [inner, right], pending.place, right.end, PREFIXED + pending.text
    )


def make_compound(reading: Reading, pending: Pending) -> None:
    """`a; b`."""
    right = reading.operands.pop()
    reading.operands[-1] = _chained("CompoundExpression", reading.operands[-1], right, pending.text)


def make_postfix_call(reading: Reading, pending: Pending) -> None:
    """`a // f`."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    reading.operands[-1] = Node(right, [left], left.start, right.end, pending.text)


def make_application(reading: Reading, pending: Pending) -> None:
    """`f @ a`."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    reading.operands[-1] = Node(left, [right], left.start, right.end, pending.text)


def make_pattern(reading: Reading, pending: Pending) -> None:
    """`x : p` names a pattern."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    reading.operands[-1] = node("Pattern", [left, right], left.start, right.end, pending.text)


def make_optional(reading: Reading, pending: Pending) -> None:
    """`p : d` gives the default of a pattern."""
    right = reading.operands.pop()
    left = reading.operands[-1]
    reading.operands[-1] = node("Optional", [left, right], left.start, right.end, pending.text)


def make_tag(reading: Reading, pending: Pending) -> None:
    """`t /: a = b`."""
    value = reading.operands.pop()
    if pending.size == 2:
        reading.complain("Expected = or := after /:", pending.place, pending.place + 2)
        tag = reading.operands[-1]
        args, head = [tag, value], "TagSet"
    else:
        inner = reading.operands.pop()
        tag = reading.operands[-1]
        args, head = [tag, inner, value], "TagSet" if pending.text == "/: =" else "TagSetDelayed"
    reading.operands[-1] = node(head, args, tag.start, value.end, pending.text)


def make_tilde(reading: Reading, pending: Pending) -> None:
    """`a ~ f ~ b`."""
    right = reading.operands.pop()
    if pending.size == 2:
        reading.complain("Expected a second ~", pending.place, pending.place + 1)
        left = reading.operands[-1]
        reading.operands[-1] = Node(right, [left], left.start, right.end, "~")
        return
    head = reading.operands.pop()
    left = reading.operands[-1]
    reading.operands[-1] = Node(head, [left, right], left.start, right.end, "~")


def make_span(reading: Reading, pending: Pending) -> None:
    """`a ;; b` and `a ;; b ;; c`."""
    args = reading.operands[-pending.size :]
    del reading.operands[-pending.size :]
    end = max(args[-1].end, pending.place + 2)
    reading.operands.append(node("Span", args, args[0].start, end, ";;"))
