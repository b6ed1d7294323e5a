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
from paddock.wolfram.text import is_too_long, number_value, string_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_DEPTH = 200
"""Deeper than any manifest; what is deeper is not data that somebody wrote."""
_TOO_DEEP = f"The data is nested more than {MAX_DEPTH} deep"
_INFINITE = (float("inf"), float("-inf"))
_CONSTANTS: dict[str, object] = {"True": True, "False": False, "None": None, "Null": None}


class DataError(PaddockError):
    """An expression is not the data that it should be."""

    code = "wolfram-data"


class Held:
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
        return isinstance(other, Held) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)


class Rule(NamedTuple):
    """A rule that stands alone, outside of an association; of `:>` the value is held."""

    key: object
    value: object


class Template(NamedTuple):
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
        return _value(expression, 0)
    except RecursionError:
        # Whoever asks may be deep in the stack already.
        raise DataError(_TOO_DEEP) from None


def _value(expression: Expression, depth: int) -> object:
    if isinstance(expression, Atom):
        return _atom(expression)
    if depth > MAX_DEPTH:
        raise DataError(_TOO_DEEP)
    head = expression.head
    work = _WORK.get(head.text) if isinstance(head, Atom) and head.kind == "symbol" else None
    found = work(expression, depth + 1) if work is not None else None
    return Held(expression) if found is None else found[0]


Worked = tuple[Any] | None
"""A value, or nothing where the arguments are not data."""


def _atom(atom: Atom) -> object:
    if atom.kind == "string":
        return string_value(atom.text)
    if atom.kind == "number":
        value = number_value(atom.text)
        return Held(atom) if value is None else value
    return _CONSTANTS.get(atom.text, Held(atom)) if atom.kind == "symbol" else Held(atom)


def _list(node: Node, depth: int) -> Worked:
    return ([_value(arg, depth) for arg in node.args if not is_symbol(arg, "Nothing")],)


def _association(node: Node, depth: int) -> Worked:
    found: dict[object, object] = {}
    for arg in flat_rules(node.args):
        if not isinstance(arg, Node) or len(arg.args) != 2:
            return None
        is_delayed = has_head(arg, "RuleDelayed")
        if not is_delayed and not has_head(arg, "Rule"):
            return None
        key = _value(arg.args[0], depth)
        try:
            found[key] = Held(arg.args[1]) if is_delayed else _value(arg.args[1], depth)
        except TypeError:
            return None
    return (found,)


def flat_rules(args: list[Expression]) -> Iterator[Expression]:
    """The rules of an association, which may stand in lists and other associations."""
    waiting = list(reversed(args))
    while waiting:
        arg = waiting.pop()
        if isinstance(arg, Node) and (has_head(arg, "List") or has_head(arg, "Association")):
            waiting += reversed(arg.args)
        elif not is_symbol(arg, "Nothing"):
            yield arg


def _rule(node: Node, depth: int) -> Worked:
    if len(node.args) != 2:
        return None
    return (Rule(_value(node.args[0], depth), _value(node.args[1], depth)),)


def _delayed_rule(node: Node, depth: int) -> Worked:
    if len(node.args) != 2:
        return None
    return (Rule(_value(node.args[0], depth), Held(node.args[1])),)


def _texts(node: Node, depth: int) -> list[str] | None:
    """The arguments, if all are texts or lists of texts."""
    found: list[str] = []
    for arg in node.args:
        value = _value(arg, depth)
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, str):
                return None
            found.append(one)
    return found


def _join(separator: str) -> Callable[[Node, int], Worked]:
    def work(node: Node, depth: int) -> Worked:
        texts = _texts(node, depth)
        return None if texts is None else (separator.join(texts),)

    return work


def _template(node: Node, depth: int) -> Worked:
    texts = _texts(node, depth)
    return (Template(texts[0]),) if texts and len(texts) == 1 else None


def _numbers(node: Node, depth: int) -> list[Any] | None:
    """The arguments, if all are numbers."""
    values: list[Any] = []
    for arg in node.args:
        value = _value(arg, depth)
        if type(value) not in (int, float):
            return None
        values.append(value)
    return values


def _sum(node: Node, depth: int) -> Worked:
    values = _numbers(node, depth)
    return None if values is None else _gathered(values, add, 0)


def _product(node: Node, depth: int) -> Worked:
    if len(node.args) == 2 and _is_inverse(node.args[1]):
        return _quotient(node, depth)
    values = _numbers(node, depth)
    return None if values is None else _gathered(values, mul, 1)


def _gathered(values: list[Any], work: Callable[[Any, Any], Any], start: int) -> Worked:
    """All together; nothing once it is more than a number in a source can be."""
    found: Any = start
    for value in values:
        try:
            found = work(found, value)
        except OverflowError:
            return None
        if is_too_long(found) or found in _INFINITE:
            return None
    return (found,)


def _is_inverse(expression: Expression) -> bool:
    """Whether it is what `/ b` stands for."""
    if not isinstance(expression, Node) or not has_head(expression, "Power"):
        return False
    exponent = expression.args[1] if len(expression.args) == 2 else None
    return isinstance(exponent, Atom) and exponent.text == "-1"


def _quotient(node: Node, depth: int) -> Worked:
    """`a/b`: whole if it can be."""
    inverse = node.args[1]
    below = inverse.args[0] if isinstance(inverse, Node) else inverse
    values = _numbers(Node(node.head, [node.args[0], below]), depth + 1)
    if values is None or values[1] == 0:
        return None
    one, other = values
    if type(one) is type(other) is int and one % other == 0:
        return (one // other,)
    try:
        return (one / other,)
    except OverflowError:
        return None


_WORK: dict[str, Callable[[Node, int], Worked]] = {
    "List": _list,
    "Association": _association,
    "Rule": _rule,
    "RuleDelayed": _delayed_rule,
    "StringJoin": _join(""),
    "FileNameJoin": _join("/"),
    "StringTemplate": _template,
    "Times": _product,
    "Plus": _sum,
}
