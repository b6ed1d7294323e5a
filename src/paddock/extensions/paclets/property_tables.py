"""Tables out of Wolfram data: associations, lists of rules, and what stands in them.

The data evaluator leaves rules and unevaluated expressions where they stand. Here they become
tables with keys of text, and values as plain as Python's own.

Texts in definitions, which have to be there as they are.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from paddock.errors import LoadError
from paddock.extensions.properties import shorten_repr
from paddock.wolfram import literals as wolfram_text
from paddock.wolfram.expressions import Atom, Node
from paddock.wolfram.literals import (
    RuleValue,
    StringTemplate,
    UnevaluatedExpression,
    evaluate,
)

PropertyDict = dict[str, Any]
_MAX_JSON_NUMBER = 2**63


def to_table(value: object) -> PropertyDict | None:
    """The table that an association, a rule, or a list of these makes; None for anything else.

    An empty list is an empty table. Keys may be text or symbols, as older files have them.
    """
    if isinstance(value, Mapping):
        return _make_table(value.items())
    if isinstance(value, RuleValue):
        return _make_table([(value.key, value.value)])
    if not isinstance(value, list):
        return None
    found: PropertyDict = {}
    for one in value:
        part = to_table(one) if isinstance(one, RuleValue | Mapping) else None
        if part is None:
            return None
        found |= part
    return found


def to_key(value: object) -> str | None:
    """A key as text: a string, or the name of a symbol without its context."""
    if isinstance(value, str):
        return value
    name = get_symbol_name(value)
    return None if name is None else name.rpartition("`")[2]


def get_symbol_name(value: object) -> str | None:
    """The name of a symbol that has been left as it is."""
    if isinstance(value, UnevaluatedExpression) and isinstance(value.expression, Atom):
        atom = value.expression
        return wolfram_text.parse_symbol_name(atom.text) if atom.kind == "symbol" else None
    return None


def get_head_name(value: object) -> str | None:
    """What an unevaluated expression is one of: the name of its head without the context."""
    if isinstance(value, UnevaluatedExpression) and isinstance(value.expression, Node):
        head = value.expression.head
        if isinstance(head, Atom) and head.kind == "symbol":
            return head.text.rpartition("`")[2]
    return None


def get_arguments(value: object) -> list[object]:
    """The arguments of an unevaluated expression, as data."""
    if isinstance(value, UnevaluatedExpression) and isinstance(value.expression, Node):
        return [evaluate(argument) for argument in value.expression.args]
    return []


def is_missing(value: object) -> bool:
    """Whether a value says that there is none: `None`, `Missing[…]` or `Automatic`."""
    return (
        value is None or get_head_name(value) == "Missing" or get_symbol_name(value) == "Automatic"
    )


def to_plain_data(value: object) -> Any:
    """A value as JSON could have it: rules as tables, what is not data as its source text."""
    if isinstance(value, UnevaluatedExpression | StringTemplate):
        return value.text
    if isinstance(value, RuleValue):
        return to_plain_data(to_table(value) or repr(value))
    if isinstance(value, Mapping):
        return {to_key(key) or str(key): to_plain_data(one) for key, one in value.items()}
    if isinstance(value, list):
        table = to_table(value) if any(isinstance(one, RuleValue) for one in value) else None
        return [to_plain_data(one) for one in value] if table is None else to_plain_data(table)
    return (
        value
        if not isinstance(value, int | float) or abs(value) < _MAX_JSON_NUMBER
        else _format_large_number(value)
    )


def _format_large_number(number: float) -> str:
    """A number that JSON cannot carry, as text."""
    return f"{Decimal(number):.6e}"


def _make_table(pairs: Any) -> PropertyDict | None:
    found: PropertyDict = {}
    for key, value in pairs:
        name = to_key(key)
        if name is None:
            return None
        found[name] = value
    return found


def get_text(table: PropertyDict, key: str, where: str) -> str | None:
    """The text that a property is; None where it is absent or missing.

    Raises:
        LoadError: when it is something else, or would have to be evaluated.
    """
    value = table.get(key)
    if isinstance(value, str):
        return value
    if is_missing(value):
        return None
    raise LoadError(
        f"{key} is {shorten_repr(to_plain_data(value))}",
        where=where,
        hint="expected a string, written out: nothing is evaluated to read it",
    )
