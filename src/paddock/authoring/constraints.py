"""Constraints on a parameter, whoever has invented the notation.

msgspec's `Meta` is used as it is. Pydantic's `Field`, in `Annotated` or as a default, and the
`annotated_types` behind it are translated, without importing either.
"""

from __future__ import annotations

import typing
from typing import Any

import msgspec

from paddock.authoring.tool import NO_DEFAULT

_CONSTRAINT_NAMES = ("ge", "gt", "le", "lt", "multiple_of", "min_length", "max_length", "pattern")


def to_msgspec_meta(note: Any) -> Any:
    """What a note in `Annotated` demands, as msgspec knows it; None when it demands nothing."""
    if isinstance(note, msgspec.Meta):
        return note
    found: dict[str, Any] = {}
    for part in (note, *(getattr(note, "metadata", None) or ())):
        for bound in _CONSTRAINT_NAMES:
            value = getattr(part, bound, None)
            if value is not None and not callable(value):
                found[bound] = value
    return msgspec.Meta(**found) if found else None


def is_pydantic_field(default: object) -> bool:
    """Whether a default is pydantic's way to say more about a parameter."""
    kind = type(default)
    return kind.__name__ == "FieldInfo" and kind.__module__.startswith("pydantic")


def read_pydantic_field(hint: Any, note: str, field: Any) -> tuple[Any, str, object]:
    """The type, description and default of a parameter whose default is a `Field`."""
    meta = to_msgspec_meta(field)
    if meta is not None:
        hint = typing.Annotated[hint, meta]
    is_required = field.is_required() or field.default_factory is not None
    default = NO_DEFAULT if is_required else field.default
    if field.default_factory is not None:
        default = field.default_factory()
    return hint, note or field.description or "", default
