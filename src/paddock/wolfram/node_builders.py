"""Builders that turn pending operators and their operands into nodes.

Builders extend chains (`a + b + c`) and comparisons in place, so long chains take linear time.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeGuard

from paddock.wolfram.expressions import Atom, Node, is_symbol, symbol
from paddock.wolfram.operators import INFIX_OPERATORS, PREFIX_OPERATORS

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.parse_state import ParseState, PendingOperator

IMPLICIT_TIMES = "implicit times"
"""Node form of products of adjacent operands."""
PREFIX_FORM_START = "prefix "
"""Start of the node forms of prefix operators."""

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
"""Share one atom among all implicit heads of the same name: many exist, and none has a position.
"""


def make_node(head: str, args: list[Expression], start: int, end: int, form: str) -> Node:
    """Build a node with an implicit head."""
    return Node(_get_head(head), args, start, end, form)


def make_infix(state: ParseState, operator: PendingOperator) -> None:
    """Build a binary node such as `a -> b` or `x : p`."""
    right = state.operands.pop()
    left = state.operands[-1]
    head = INFIX_OPERATORS[operator.text].head
    state.operands[-1] = make_node(head, [left, right], left.start, right.end, operator.text)


def make_chain(state: ParseState, operator: PendingOperator) -> None:
    """Build the node of a chain such as `a + b` or `a; b` from the last two operands.

    If the left operand is a chain of the same kind, the right one is added to it, so `a + b + c` is
    a single node.
    """
    right = state.operands.pop()
    head = "Times" if operator.text == IMPLICIT_TIMES else INFIX_OPERATORS[operator.text].head
    state.operands[-1] = _extend_chain(head, state.operands[-1], right, operator.text)


def _extend_chain(head: str, left: Expression, right: Expression, form: str) -> Node:
    """Add an operand to the chain on the left, or build a new chain of two operands."""
    if _is_chain(left, head):
        left.args.append(right)
        left.end = right.end
        return left
    return make_node(head, [left, right], left.start, right.end, form)


def _is_chain(expression: Expression, head: str) -> TypeGuard[Node]:
    return (
        isinstance(expression, Node)
        and expression.form in _CHAIN_FORMS
        and not expression.is_grouped
        and is_symbol(expression.head, head)
    )


def make_difference(state: ParseState, operator: PendingOperator) -> None:
    """Build the sum of `a` and `-b` for `a - b`, because kernels have no subtraction."""
    subtrahend = state.operands.pop()
    if _is_chain(subtrahend, "Times"):
        # Kernels read `a - b c` as `a + (-1) b c`, with a single product.
        subtrahend.args.insert(0, Atom("number", "-1"))
        subtrahend.start = operator.start
        subtrahend.form = "-"
        term: Expression = subtrahend
    else:
        term = _negate(subtrahend, operator.start, "-")
    state.operands[-1] = _extend_chain("Plus", state.operands[-1], term, operator.text)


def _negate(operand: Expression, start: int, form: str) -> Expression:
    """Negate an operand: return a negative number, or a product with -1."""
    if isinstance(operand, Atom) and operand.kind == "number" and not operand.text.startswith("-"):
        # `-0` is 0 for kernels, which have no negative zero integer.
        text = "0" if operand.text == "0" else f"-{operand.text}"
        return Atom("number", text, start, operand.end)
    return make_node("Times", [Atom("number", "-1"), operand], start, operand.end, form)


def make_quotient(state: ParseState, operator: PendingOperator) -> None:
    """Build `a/b` as `Times[a, Power[b, -1]]`."""
    right = state.operands.pop()
    left = state.operands[-1]
    inverse = Node(symbol("Power"), [right, Atom("number", "-1")])
    state.operands[-1] = make_node("Times", [left, inverse], left.start, right.end, operator.text)


def make_divisible(state: ParseState, operator: PendingOperator) -> None:
    r"""Build `a \[Divides] b` as `Divisible[b, a]`."""
    right = state.operands.pop()
    left = state.operands[-1]
    state.operands[-1] = make_node("Divisible", [right, left], left.start, right.end, operator.text)


def make_comparison(state: ParseState, operator: PendingOperator) -> None:
    """Build the node of a comparison such as `a < b` from the last two operands.

    If the left operand is a comparison too, it is extended: `a < b < c` is one node. If the
    operators differ, as in `a < b <= c`, the head of this node is `Inequality`.
    """
    right = state.operands.pop()
    left = state.operands[-1]
    head = INFIX_OPERATORS[operator.text].head
    # A comparison in parentheses is an operand: `(a < b) < c` compares twice.
    if not isinstance(left, Node) or left.form not in _COMPARISON_FORMS or left.is_grouped:
        state.operands[-1] = make_node(head, [left, right], left.start, right.end, operator.text)
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
    """Return the `Inequality` arguments for a comparison, the next operator and its operand."""
    args: list[Expression] = [left.args[0]]
    for operand in left.args[1:]:
        args += [left.head, operand]
    return [*args, symbol(head), right]


def make_vector_comparison(state: ParseState, operator: PendingOperator) -> None:
    r"""Build the node of a vector comparison: `VectorLess[{a, b}]` for `a \[VectorLess] b`.

    If the left operand is the same comparison, the right one is added to its list. Unlike scalar
    comparisons, comparisons with different heads are nested.
    """
    right = state.operands.pop()
    left = state.operands[-1]
    head = INFIX_OPERATORS[operator.text].head
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
    operand_list = Node(symbol("List"), [left, right])
    state.operands[-1] = make_node(head, [operand_list], left.start, right.end, operator.text)


def make_prefix(state: ParseState, operator: PendingOperator) -> None:
    """Build the node of a prefix operator such as `!a`.

    A minus sign creates a negative number, or a product with -1, because kernels have no negation.
    """
    operand = state.operands[-1]
    head, form = PREFIX_OPERATORS[operator.text].head, PREFIX_FORM_START + operator.text
    if head == "Minus":
        node = _negate(operand, operator.start, form)
    elif head == "NotNot":
        # `!!a` is two negations, although `!!` is also the postfix double factorial.
        form = PREFIX_FORM_START + "!"
        inner_not = make_node("Not", [operand], operator.start + 1, operand.end, form)
        node = make_node("Not", [inner_not], operator.start, operand.end, form)
    else:
        node = make_node(head, [operand], operator.start, operand.end, form)
    state.operands[-1] = node


def make_integral(state: ParseState, operator: PendingOperator) -> None:
    r"""Build `Integrate[f, x]` for the source `\[Integral] f \[DifferentialD] x`."""
    variable = state.operands.pop()
    integrand = state.operands[-1]
    form = PREFIX_FORM_START + operator.text
    state.operands[-1] = make_node(
        "Integrate", [integrand, variable], operator.start, variable.end, form
    )


def make_postfix_call(state: ParseState, operator: PendingOperator) -> None:
    """Build `a // f` as a call."""
    right = state.operands.pop()
    left = state.operands[-1]
    state.operands[-1] = Node(right, [left], left.start, right.end, operator.text)


def make_application(state: ParseState, operator: PendingOperator) -> None:
    """Build `f @ a` as a call."""
    right = state.operands.pop()
    left = state.operands[-1]
    state.operands[-1] = Node(left, [right], left.start, right.end, operator.text)


def make_optional(state: ParseState, operator: PendingOperator) -> None:
    """Build a pattern with a default, such as `p : d`."""
    right = state.operands.pop()
    left = state.operands[-1]
    state.operands[-1] = make_node("Optional", [left, right], left.start, right.end, operator.text)


def make_tag_assignment(state: ParseState, operator: PendingOperator) -> None:
    """Build a tagged assignment: `TagSet[t, a, b]` for the source `t /: a = b`.

    A tag without an assignment, as in `t /: a`, is reported as a syntax problem.
    """
    value = state.operands.pop()
    args = [value]
    # Without an assignment, there are only two operands: the tag and the target.
    if operator.operand_count == 2:
        state.report_problem("Expected = or := after /:", operator.start, operator.start + 2)
    else:
        args.insert(0, state.operands.pop())
    tag = state.operands[-1]
    head = "TagSetDelayed" if operator.text == "/: :=" else "TagSet"
    state.operands[-1] = make_node(head, [tag, *args], tag.start, value.end, operator.text)


def make_infix_call(state: ParseState, operator: PendingOperator) -> None:
    """Build the call `f[a, b]` for the source `a ~ f ~ b`.

    A missing second sign, as in `a ~ f`, is reported as a syntax problem.
    """
    args = [state.operands.pop()]
    end = args[0].end
    if operator.operand_count == 2:
        state.report_problem("Expected a second ~", operator.start, operator.start + 1)
        head = args.pop()
    else:
        head = state.operands.pop()
    left = state.operands[-1]
    state.operands[-1] = Node(head, [left, *args], left.start, end, "~")


def make_span(state: ParseState, operator: PendingOperator) -> None:
    """Build `a ;; b` or `a ;; b ;; c` as a span."""
    args = state.operands[-operator.operand_count :]
    del state.operands[-operator.operand_count :]
    # An omitted last operand has no text, so the span ends with its sign.
    end = max(args[-1].end, operator.start + 2)
    state.operands.append(make_node("Span", args, args[0].start, end, ";;"))
