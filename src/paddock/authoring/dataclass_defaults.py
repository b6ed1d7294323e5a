"""Dataclasses whose defaults msgspec leaves on the class.

A decoded dataclass has only the members that were sent in its own dictionary; the others are read
from the class. That shows when it is written again, and to `vars`. So they are filled in.
"""

from __future__ import annotations

from typing import Any

from paddock.authoring.members import list_component_types


def needs_dataclass_defaults(hints: list[Any]) -> bool:
    """Whether values of some types may be, or hold, dataclasses with members left on the class."""
    seen: set[int] = set()

    def look(hint: Any) -> bool:
        if id(hint) in seen:
            return False
        seen.add(id(hint))
        if _is_unslotted_dataclass(hint):
            return True
        return any(look(part) for part in list_component_types(hint))

    return any(look(hint) for hint in hints)


def fill_dataclass_defaults(value: Any) -> Any:
    """A decoded value, with every member of every dataclass in it in its place."""
    if isinstance(value, list | tuple | set | frozenset):
        for item in value:
            fill_dataclass_defaults(item)
    elif isinstance(value, dict):
        for item in value.values():
            fill_dataclass_defaults(item)
    elif _is_unslotted_dataclass(type(value)):
        for name in type(value).__dataclass_fields__:
            vars(value).setdefault(name, getattr(value, name, None))
            fill_dataclass_defaults(vars(value)[name])
    elif hasattr(type(value), "__struct_fields__"):
        for name in type(value).__struct_fields__:
            fill_dataclass_defaults(getattr(value, name))
    return value


def _is_unslotted_dataclass(kind: Any) -> bool:
    return (
        isinstance(kind, type)
        and hasattr(kind, "__dataclass_fields__")
        and "__slots__" not in vars(kind)
    )
