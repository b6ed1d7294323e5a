"""Converts Wolfram data to Python tables.

`paddock.wolfram.literals.evaluate` returns associations, rules and unevaluated expressions. This
module converts associations and lists of rules to dictionaries with string keys, and other values
to JSON data.
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
"""Exclusive limit for numbers that stay numbers; many JSON parsers do not support larger ones."""


def to_table(value: object) -> PropertyDict | None:
    """Convert parsed Wolfram data to a dictionary of properties, if possible.

    An association `<|"a" -> 1|>`, a rule `"a" -> 1` and a list of these give `{"a": 1}`. An empty
    list gives an empty dictionary. Keys can be strings or, as in older files, symbols.

    Returns:
        None for any other data.
    """
    if isinstance(value, Mapping):
        return _make_table(value.items())
    if isinstance(value, RuleValue):
        return _make_table([(value.key, value.value)])
    if not isinstance(value, list):
        return None
    table: PropertyDict = {}
    for item in value:
        part_table = to_table(item) if isinstance(item, RuleValue | Mapping) else None
        if part_table is None:
            return None
        table |= part_table
    return table


def to_key(value: object) -> str | None:
    """Return a key: a string, or a symbol's name without its context. Otherwise, return None."""
    if isinstance(value, str):
        return value
    name = get_symbol_name(value)
    return None if name is None else name.rpartition("`")[2]


def get_symbol_name(value: object) -> str | None:
    """Return the name of an unevaluated symbol, or None for other values."""
    if isinstance(value, UnevaluatedExpression) and isinstance(value.expression, Atom):
        atom = value.expression
        return wolfram_text.parse_symbol_name(atom.text) if atom.kind == "symbol" else None
    return None


def get_head_name(value: object) -> str | None:
    """Return the head of an unevaluated expression without its context, or None."""
    if isinstance(value, UnevaluatedExpression) and isinstance(value.expression, Node):
        head = value.expression.head
        if isinstance(head, Atom) and head.kind == "symbol":
            return head.text.rpartition("`")[2]
    return None


def get_arguments(value: object) -> list[object]:
    """Return the arguments of an unevaluated expression as data."""
    if isinstance(value, UnevaluatedExpression) and isinstance(value.expression, Node):
        return [evaluate(argument) for argument in value.expression.args]
    return []


def is_missing(value: object) -> bool:
    """Return whether a value means "absent": `None`, `Missing[…]` or `Automatic`."""
    return (
        value is None or get_head_name(value) == "Missing" or get_symbol_name(value) == "Automatic"
    )


def to_plain_data(value: object) -> Any:
    """Convert parsed Wolfram data to JSON data.

    Rules and lists of rules become dictionaries, and code becomes source text. A number too large
    for many JSON parsers becomes a text such as `1.000000e+30`.
    """
    if isinstance(value, UnevaluatedExpression | StringTemplate):
        return value.text
    if isinstance(value, RuleValue):
        return to_plain_data(to_table(value) or repr(value))
    if isinstance(value, Mapping):
        return {to_key(key) or str(key): to_plain_data(item) for key, item in value.items()}
    if isinstance(value, list):
        table = to_table(value) if any(isinstance(item, RuleValue) for item in value) else None
        return [to_plain_data(item) for item in value] if table is None else to_plain_data(table)
    if isinstance(value, int | float) and abs(value) >= _MAX_JSON_NUMBER:
        return f"{Decimal(value):.6e}"
    return value


def describe_value(value: object) -> str:
    """Describe a value briefly for error messages."""
    return shorten_repr(to_plain_data(value))


def _make_table(pairs: Any) -> PropertyDict | None:
    """Create a dictionary from key and value pairs.

    If a key is neither a string nor a symbol, return None.
    """
    table: PropertyDict = {}
    for key, value in pairs:
        name = to_key(key)
        if name is None:
            return None
        table[name] = value
    return table


def get_text(table: PropertyDict, key: str, where: str) -> str | None:
    """Return a string property of a Wolfram definition, or None if it is absent.

    Args:
        table: The properties of the definition.
        key: The name of the property.
        where: The location of the definition, for errors.

    Raises:
        LoadError: The value is not a string, or would have to be evaluated.
    """
    value = table.get(key)
    if isinstance(value, str):
        return value
    if is_missing(value):
        return None
    raise LoadError(
        f"{key} is {describe_value(value)}",
        where=where,
        hint="expected a string literal: nothing is evaluated to read it",
    )
