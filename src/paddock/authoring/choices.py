"""Choices in the order in which their author wrote them.

msgspec sorts the values of a `Literal` or an `Enum` in the schemas it makes. Forms and models
read them in order, so the schemas are put right: every list of choices that a type holds is found,
and put in the place of its sorted twin, with the type that its values have in common.
"""

from __future__ import annotations

import enum
import typing
from typing import Any

from paddock.authoring.members import parts_of

Json = dict[str, Any]
_TYPES = {str: "string", int: "integer", bool: "boolean", float: "number"}


def in_order(schema: Any, hints: list[Any]) -> Any:
    """A schema whose choices stand in the order of the types that it was made from."""
    return _ordered(schema, _Choices(hints).found)


class _Choices:
    """Every list of choices in some types, by the set of its values."""

    def __init__(self, hints: list[Any]) -> None:
        self.found: dict[frozenset[Any], list[Any]] = {}
        self._seen: set[int] = set()
        for hint in hints:
            self._look(hint)

    def _look(self, hint: Any) -> None:
        if id(hint) in self._seen:
            return
        self._seen.add(id(hint))
        if typing.get_origin(hint) is typing.Literal:
            self._keep(list(typing.get_args(hint)))
        elif isinstance(hint, enum.EnumMeta):
            members: list[enum.Enum] = list(hint.__members__.values())
            self._keep(list(dict.fromkeys(member.value for member in members)))
        else:
            for part in parts_of(hint):
                self._look(part)

    def _keep(self, values: list[Any]) -> None:
        values = [value for value in values if value is not None]
        try:
            self.found.setdefault(frozenset(values), values)
        except TypeError:  # values that no set can hold have no order to lose either
            return


def _ordered(schema: Any, choices: dict[frozenset[Any], list[Any]]) -> Any:
    if isinstance(schema, list):
        return [_ordered(item, choices) for item in schema]
    if not isinstance(schema, dict):
        return schema
    ordered = {key: _ordered(value, choices) for key, value in schema.items()}
    values = ordered.get("enum")
    if isinstance(values, list):
        known = choices.get(_set(values))
        ordered["enum"] = list(known) if known else values
        kinds = {_TYPES.get(type(value)) for value in values}
        if len(kinds) == 1 and None not in kinds and "type" not in ordered:
            ordered = {"type": kinds.pop(), **ordered}
    return ordered


def _set(values: list[Any]) -> frozenset[Any]:
    try:
        return frozenset(values)
    except TypeError:
        return frozenset()
