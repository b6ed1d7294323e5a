"""What literal expressions are worth: the data in manifests and definitions, read without running.

Strings, numbers, lists, associations and rules become Python values, and a few functions that such
files use to put texts together are worked out. Whatever else stands there is held: it stays an
expression, for whoever can evaluate it.
"""

from __future__ import annotations

from operator import add, mul
from typing import TYPE_CHECKING, Any, NamedTuple

from paddock.errors import PaddockError
from paddock.wolfram.expressions import Atom, Expression, Node, has_head, is_symbol
from paddock.wolfram.printer import input_form
from paddock.wolfram.text import has_too_many_digits, parse_number, parse_string

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_DATA_DEPTH = 200
"""Deeper than any manifest; what is deeper is not data that somebody wrote."""
_TOO_DEEP_MESSAGE = f"The data is nested more than {MAX_DATA_DEPTH} deep"
_INFINITE = (float("inf"), float("-inf"))
_CONSTANT_VALUES: dict[str, object] = {"True": True, "False": False, "None": None, "Null": None}


class DataError(PaddockError):
    """An expression is not the data that it should be."""

    code = "wolfram-data"


class UnevaluatedExpression:
    """An expression that is not data, as it is; `text` is its source."""

    __slots__ = ("expression",)

    def __init__(self, expression: Expression) -> None:
        self.expression = expression

    @property
    def text(self) -> str:
        """The expression as one writes it."""
        return input_form(self.expression)

    def __repr__(self) -> str:
        return f"Held({self.text!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnevaluatedExpression) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


class RuleValue(NamedTuple):
    """A rule that stands alone, outside of an association; of `:>` the value is held."""

    key: object
    value: object


class StringTemplate(NamedTuple):
    """The text of a `StringTemplate`, with its slots as they are written."""

    text: str


def evaluate(expression: Expression) -> object:
    """The value of an expression; what is not data is `Held`.

    Strings, numbers, `True`, `False`, lists and associations are their Python counterparts, `None`
    and `Null` are None.

    Raises:
        DataError: when it is nested too deeply.
    """
    try:
        return _evaluate_expression(expression, 0)
    except RecursionError:
        # Whoever asks may be deep in the stack already.
        raise DataError(_TOO_DEEP_MESSAGE) from None


def _evaluate_expression(expression: Expression, depth: int) -> object:
    if isinstance(expression, Atom):
        return _evaluate_atom(expression)
    if depth > MAX_DATA_DEPTH:
        raise DataError(_TOO_DEEP_MESSAGE)
    head = expression.head
    work = _EVALUATORS.get(head.text) if isinstance(head, Atom) and head.kind == "symbol" else None
    found = work(expression, depth + 1) if work is not None else None
    return UnevaluatedExpression(expression) if found is None else found[0]


OptionalValue = tuple[Any] | None
"""A value, or nothing where the arguments are not data."""


def _evaluate_atom(atom: Atom) -> object:
    if atom.kind == "string":
        return parse_string(atom.text)
    if atom.kind == "number":
        value = parse_number(atom.text)
        return UnevaluatedExpression(atom) if value is None else value
    return _CONSTANT_VALUES.get(atom.text, UnevaluatedExpression(atom)) if atom.kind == "symbol" else UnevaluatedExpression(atom)


def _evaluate_list(node: Node, depth: int) -> OptionalValue:
    return ([_evaluate_expression(arg, depth) for arg in node.args if not is_symbol(arg, "Nothing")],)


def _evaluate_association(node: Node, depth: int) -> OptionalValue:
    found: dict[object, object] = {}
    for arg in iter_rules(node.args):
        if not isinstance(arg, Node) or len(arg.args) != 2:
            return None
        is_delayed = has_head(arg, "RuleDelayed")
        if not is_delayed and not has_head(arg, "Rule"):
            return None
        key = _evaluate_expression(arg.args[0], depth)
        try:
            found[key] = UnevaluatedExpression(arg.args[1]) if is_delayed else _evaluate_expression(arg.args[1], depth)
        except TypeError:
            return None
    return (found,)


def iter_rules(args: list[Expression]) -> Iterator[Expression]:
    """The rules of an association, which may stand in lists and other associations."""
    waiting = list(reversed(args))
    while waiting:
        arg = waiting.pop()
        if isinstance(arg, Node) and (has_head(arg, "List") or has_head(arg, "Association")):
            waiting += reversed(arg.args)
        elif not is_symbol(arg, "Nothing"):
            yield arg


def _evaluate_rule(node: Node, depth: int) -> OptionalValue:
    if len(node.args) != 2:
        return None
    return (RuleValue(_evaluate_expression(node.args[0], depth), _evaluate_expression(node.args[1], depth)),)


def _evaluate_delayed_rule(node: Node, depth: int) -> OptionalValue:
    if len(node.args) != 2:
        return None
    return (RuleValue(_evaluate_expression(node.args[0], depth), UnevaluatedExpression(node.args[1])),)


def _evaluate_strings(node: Node, depth: int) -> list[str] | None:
    """The arguments, if all are texts or lists of texts."""
    found: list[str] = []
    for arg in node.args:
        value = _evaluate_expression(arg, depth)
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, str):
                return None
            found.append(one)
    return found


def _make_join_evaluator(separator: str) -> Callable[[Node, int], OptionalValue]:
    def work(node: Node, depth: int) -> OptionalValue:
        texts = _evaluate_strings(node, depth)
        return None if texts is None else (separator.join(texts),)

    return work


def _evaluate_template(node: Node, depth: int) -> OptionalValue:
    texts = _evaluate_strings(node, depth)
    return (StringTemplate(texts[0]),) if texts and len(texts) == 1 else None


def _evaluate_numbers(node: Node, depth: int) -> list[Any] | None:
    """The arguments, if all are numbers."""
    values: list[Any] = []
    for arg in node.args:
        value = _evaluate_expression(arg, depth)
        if type(value) not in (int, float):
            return None
        values.append(value)
    return values


def _evaluate_sum(node: Node, depth: int) -> OptionalValue:
    values = _evaluate_numbers(node, depth)
    return None if values is None else _accumulate_numbers(values, add, 0)


def _evaluate_product(node: Node, depth: int) -> OptionalValue:
    if len(node.args) == 2 and _is_inverse(node.args[1]):
        return _evaluate_quotient(node, depth)
    values = _evaluate_numbers(node, depth)
    return None if values is None else _accumulate_numbers(values, mul, 1)


def _accumulate_numbers(values: list[Any], work: Callable[[Any, Any], Any], start: int) -> OptionalValue:
    """All together; nothing once it is more than a number in a source can be."""
    found: Any = start
    for value in values:
        try:
            found = work(found, value)
        except OverflowError:
            return None
        if has_too_many_digits(found) or found in _INFINITE:
            return None
    return (found,)


def _is_inverse(expression: Expression) -> bool:
    """Whether it is what `/ b` stands for."""
    if not isinstance(expression, Node) or not has_head(expression, "Power"):
        return False
    exponent = expression.args[1] if len(expression.args) == 2 else None
    return isinstance(exponent, Atom) and exponent.text == "-1"


def _evaluate_quotient(node: Node, depth: int) -> OptionalValue:
    """`a/b`: whole if it can be."""
    inverse = node.args[1]
    below = inverse.args[0] if isinstance(inverse, Node) else inverse
    values = _evaluate_numbers(Node(node.head, [node.args[0], below]), depth + 1)
    if values is None or values[1] == 0:
        return None
    one, other = values
    if type(one) is type(other) is int and one % other == 0:
        return (one // other,)
    try:
        return (one / other,)
    except OverflowError:
        return None


_EVALUATORS: dict[str, Callable[[Node, int], OptionalValue]] = {
    "List": _evaluate_list,
    "Association": _evaluate_association,
    "Rule": _evaluate_rule,
    "RuleDelayed": _evaluate_delayed_rule,
    "StringJoin": _make_join_evaluator(""),
    "FileNameJoin": _make_join_evaluator("/"),
    "StringTemplate": _evaluate_template,
    "Times": _evaluate_product,
    "Plus": _evaluate_sum,
}
