"""Choices in the order in which their author wrote them.

msgspec sorts the values of a `Literal` or an `Enum` in the schemas it makes. Forms and models
read them in order, so the schemas are put right: every list of choices that a type holds is found,
and put in the place of its sorted twin, with the type that its values have in common.
"""

from __future__ import annotations

import enum
import typing
from typing import Any

from paddock.authoring.members import list_component_types

Json = dict[str, Any]
_JSON_TYPE_NAMES = {str: "string", int: "integer", bool: "boolean", float: "number"}


def restore_enum_order(schema: Any, hints: list[Any]) -> Any:
    """A schema whose choices stand in the order of the types that it was made from."""
    return _reorder_enums(schema, _EnumValueCollector(hints).values_by_set)


class _EnumValueCollector:
    """Every list of choices in some types, by the set of its values."""

    def __init__(self, hints: list[Any]) -> None:
        self.values_by_set: dict[frozenset[Any], list[Any]] = {}
        self._visited_ids: set[int] = set()
        for hint in hints:
            self._collect(hint)

    def _collect(self, hint: Any) -> None:
        if id(hint) in self._visited_ids:
            return
        self._visited_ids.add(id(hint))
        if typing.get_origin(hint) is typing.Literal:
            self._add_values(list(typing.get_args(hint)))
        elif isinstance(hint, enum.EnumMeta):
            members: list[enum.Enum] = list(hint.__members__.values())
            self._add_values(list(dict.fromkeys(member.value for member in members)))
        else:
            for part in list_component_types(hint):
                self._collect(part)

    def _add_values(self, values: list[Any]) -> None:
        values = [value for value in values if value is not None]
        try:
            self.values_by_set.setdefault(frozenset(values), values)
        except TypeError:  # values that no set can hold have no order to lose either
            return


def _reorder_enums(schema: Any, choices: dict[frozenset[Any], list[Any]]) -> Any:
    if isinstance(schema, list):
        return [_reorder_enums(item, choices) for item in schema]
    if not isinstance(schema, dict):
        return schema
    ordered = {key: _reorder_enums(value, choices) for key, value in schema.items()}
    values = ordered.get("enum")
    if isinstance(values, list):
        known = choices.get(_to_frozenset(values))
        ordered["enum"] = list(known) if known else values
        kinds = {_JSON_TYPE_NAMES.get(type(value)) for value in values}
        if len(kinds) == 1 and None not in kinds and "type" not in ordered:
            ordered = {"type": kinds.pop(), **ordered}
    return ordered


def _to_frozenset(values: list[Any]) -> frozenset[Any]:
    try:
        return frozenset(values)
    except TypeError:
        return frozenset()
