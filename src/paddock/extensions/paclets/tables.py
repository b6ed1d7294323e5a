"""Tables out of Wolfram data: associations, lists of rules, and what stands in them.

The data evaluator leaves rules and unevaluated expressions where they stand. Here they become
tables with keys of text, and values as plain as Python's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from paddock.wolfram import text as wolfram_text
from paddock.wolfram.data import Held, Rule, Template, evaluate
from paddock.wolfram.expressions import Atom, Node

Table = dict[str, Any]
_MAX = 2**63


def table_of(value: object) -> Table | None:
    """The table that an association, a rule, or a list of these makes; None for anything else.

    An empty list is an empty table. Keys may be text or symbols, as older files have them.
    """
    if isinstance(value, Mapping):
        return _keyed(value.items())
    if isinstance(value, Rule):
        return _keyed([(value.key, value.value)])
    if not isinstance(value, list):
        return None
    found: Table = {}
    for one in value:
        part = table_of(one) if isinstance(one, Rule | Mapping) else None
        if part is None:
            return None
        found |= part
    return found


def key_of(value: object) -> str | None:
    """A key as text: a string, or the name of a symbol without its context."""
    if isinstance(value, str):
        return value
    name = symbol_name(value)
    return None if name is None else name.rpartition("`")[2]


def symbol_name(value: object) -> str | None:
    """The name of a symbol that has been left as it is."""
    if isinstance(value, Held) and isinstance(value.expression, Atom):
        atom = value.expression
        return wolfram_text.symbol_name(atom.text) if atom.kind == "symbol" else None
    return None


def head_of(value: object) -> str | None:
    """What an unevaluated expression is one of: the name of its head without the context."""
    if isinstance(value, Held) and isinstance(value.expression, Node):
        head = value.expression.head
        if isinstance(head, Atom) and head.kind == "symbol":
            return head.text.rpartition("`")[2]
    return None


def arguments_of(value: object) -> list[object]:
    """The arguments of an unevaluated expression, as data."""
    if isinstance(value, Held) and isinstance(value.expression, Node):
        return [evaluate(argument) for argument in value.expression.args]
    return []


def is_missing(value: object) -> bool:
    """Whether a value says that there is none: `None`, `Missing[…]` or `Automatic`."""
    return value is None or head_of(value) == "Missing" or symbol_name(value) == "Automatic"


def plain(value: object) -> Any:
    """A value as JSON could have it: rules as tables, what is not data as its source text."""
    if isinstance(value, Held | Template):
        return value.text
    if isinstance(value, Rule):
        return plain(table_of(value) or repr(value))
    if isinstance(value, Mapping):
        return {key_of(key) or str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list):
        table = table_of(value) if any(isinstance(one, Rule) for one in value) else None
        return [plain(one) for one in value] if table is None else plain(table)
    return value if not isinstance(value, int | float) or abs(value) < _MAX else _written(value)


def _written(number: float) -> str:
    """A number that JSON cannot carry, as text."""
    return f"{Decimal(number):.6e}"


def _keyed(pairs: Any) -> Table | None:
    found: Table = {}
    for key, value in pairs:
        name = key_of(key)
        if name is None:
            return None
        found[name] = value
    return found
