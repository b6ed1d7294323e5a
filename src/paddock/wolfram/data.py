"""What literal expressions are worth: the data in manifests and definitions, read without running.

Strings, numbers, lists, associations and rules become Python values, and a few functions that such
files use to put texts together are worked out. Whatever else stands there is held: it stays an
expression, for whoever can evaluate it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.errors import PaddockError
from paddock.wolfram.expressions import Atom, Expression, Node, has_head
from paddock.wolfram.printer import input_form
from paddock.wolfram.text import number_value, string_value

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_DEPTH = 200
"""Deeper than any manifest; what is deeper is not data that somebody wrote."""
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


class Rule:
    """A rule that stands alone, outside of an association."""

    __slots__ = ("key", "value")

    def __init__(self, key: object, value: object) -> None:
        self.key = key
        self.value = value

    def __repr__(self) -> str:
        return f"Rule({self.key!r}, {self.value!r})"


class Template:
    """The text of a `StringTemplate`, with its slots as they are written."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def evaluate(expression: Expression, depth: int = 0) -> object:
    """The value of an expression; what is not data is `Held`.

    Raises:
        DataError: when it is nested too deeply.
    """
    if isinstance(expression, Atom):
        return _atom(expression)
    if depth > MAX_DEPTH:
        raise DataError(f"The data is nested more than {MAX_DEPTH} deep")
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
    return ([evaluate(arg, depth) for arg in node.args],)


def _association(node: Node, depth: int) -> Worked:
    found: dict[object, object] = {}
    for arg in node.args:
        if isinstance(arg, Node) and len(arg.args) == 2 and has_head(arg, "Rule"):
            key, value = evaluate(arg.args[0], depth), evaluate(arg.args[1], depth)
        elif isinstance(arg, Node) and len(arg.args) == 2 and has_head(arg, "RuleDelayed"):
            key, value = evaluate(arg.args[0], depth), Held(arg.args[1])
        else:
            return None
        try:
            found[key] = value
        except TypeError:
            return None
    return (found,)


def _rule(node: Node, depth: int) -> Worked:
    if len(node.args) != 2:
        return None
    return (Rule(evaluate(node.args[0], depth), evaluate(node.args[1], depth)),)


def _delayed_rule(node: Node, depth: int) -> Worked:
    if len(node.args) != 2:
        return None
    return (Rule(evaluate(node.args[0], depth), Held(node.args[1])),)


def _texts(node: Node, depth: int) -> list[str] | None:
    """The arguments, if all are texts or lists of texts."""
    found: list[str] = []
    for arg in node.args:
        value = evaluate(arg, depth)
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


def _product(node: Node, depth: int) -> Worked:
    values = [evaluate(arg, depth) for arg in node.args]
    if not all(isinstance(value, int | float) for value in values):
        return None
    result: Any = 1
    for value in values:
        result *= value
    return (result,)


def _sum(node: Node, depth: int) -> Worked:
    values: list[Any] = [evaluate(arg, depth) for arg in node.args]
    return (sum(values),) if all(isinstance(value, int | float) for value in values) else None


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
