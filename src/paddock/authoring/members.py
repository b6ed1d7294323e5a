"""Looking into types: what the members of a class are."""

from __future__ import annotations

import typing
from typing import Any


def list_component_types(hint: Any) -> list[Any]:
    """The types that a type is made of: its arguments and the types of its members."""
    return [*typing.get_args(hint), *_list_member_types(hint)]


def _list_member_types(hint: Any) -> list[Any]:
    if not isinstance(hint, type) or not getattr(hint, "__annotations__", None):
        return []
    try:
        return list(typing.get_type_hints(hint, include_extras=True).values())
    except Exception:  # noqa: BLE001 - a hint in quotes can be any code, and is reported elsewhere
        return []
