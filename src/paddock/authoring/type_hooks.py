"""Types that msgspec does not know by itself: paths, pydantic models, and more.

A type takes part by three hooks: how its values are read from plain data, how they are written,
and what their JSON Schema is. Pydantic is used when the author's types are its models, and never
imported for its own sake.

Looking into types: what the members of a class are.

Dataclasses whose defaults msgspec leaves on the class.

A decoded dataclass has only the members that were sent in its own dictionary; the others are read
from the class. That shows when it is written again, and to `vars`. So they are filled in.
"""

from __future__ import annotations

import typing
from typing import Any

import msgspec


def decode_hook(kind: type, value: Any) -> Any:
    """A value of a type that msgspec does not know, from plain data."""
    if _is_path_type(kind):
        if not isinstance(value, str):
            raise ValueError(f"Expected `str`, got `{type(value).__name__}`")
        return kind(value)
    if is_pydantic_model(kind):
        return _validate_pydantic(kind, value)
    if kind is complex:
        return complex(value)
    raise NotImplementedError(f"{kind!r} cannot be read from JSON")


def encode_hook(value: Any) -> Any:
    """Plain data for a value of a type that msgspec does not know."""
    if _is_path_type(type(value)):
        return str(value)
    if is_pydantic_model(type(value)):
        return value.model_dump(mode="json", by_alias=True)
    if hasattr(value, "tolist"):  # numpy arrays and scalars
        return value.tolist()
    raise NotImplementedError(f"{type(value).__name__} cannot be written as JSON")


def schema_hook(kind: type) -> dict[str, Any]:
    """The JSON Schema of a type that msgspec does not know."""
    if _is_path_type(kind):
        return {"type": "string", "format": "path"}
    if is_pydantic_model(kind):
        schema: dict[str, Any] = kind.model_json_schema()  # type: ignore[attr-defined]  # a model
        return schema
    raise NotImplementedError(f"{kind!r} has no JSON Schema")


def _is_path_type(kind: type) -> bool:
    # pathlib is 3 ms, and is loaded already where one of its types is used.
    return hasattr(kind, "__fspath__")


def output_schema_hook(kind: type) -> dict[str, Any]:
    """The JSON Schema of what is written of a type that msgspec does not know."""
    if is_pydantic_model(kind):
        schema: dict[str, Any] = kind.model_json_schema(mode="serialization")  # type: ignore[attr-defined]  # a model
        return schema
    return schema_hook(kind)


def is_pydantic_model(kind: object) -> bool:
    """Whether a type is a pydantic model."""
    return isinstance(kind, type) and hasattr(kind, "__pydantic_validator__")


def _validate_pydantic(kind: Any, value: Any) -> Any:
    try:
        return kind.model_validate(value)
    except ValueError as error:
        details = error.errors() if hasattr(error, "errors") else []
        text = "; ".join(
            ": ".join(filter(None, (".".join(map(str, item["loc"])), item["msg"])))
            for item in details
        )
        raise ValueError(text or str(error)) from None


encode_json = msgspec.json.Encoder(enc_hook=encode_hook).encode


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
