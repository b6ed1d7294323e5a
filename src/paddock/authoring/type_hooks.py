"""JSON support for types that msgspec does not support, and inspection of type hints.

`_CUSTOM_TYPES` has one row for each such type. Pydantic and numpy are recognized by attributes of
their classes, so neither is imported unless the author uses it.
"""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable


def is_pydantic_model(kind: object) -> bool:
    """Return whether a type is a pydantic model."""
    return isinstance(kind, type) and hasattr(kind, "__pydantic_validator__")


def _is_path_type(kind: type) -> bool:
    # Importing pathlib takes 3 ms, and it is already imported if one of its types is in use.
    return hasattr(kind, "__fspath__")


def _decode_path(kind: Any, value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError(f"Expected `str`, got `{type(value).__name__}`")
    return kind(value)


def _validate_pydantic(model_class: Any, data: Any) -> Any:
    """Validate JSON data, and return an instance of a pydantic model.

    Raises:
        ValueError: The data is invalid. Unlike pydantic's own message, this one is a single line,
            such as `age: Input should be a valid integer; name: Field required`.
    """
    try:
        return model_class.model_validate(data)
    except ValueError as error:
        problems = []
        for detail in error.errors() if hasattr(error, "errors") else ():
            location = ".".join(map(str, detail["loc"]))
            problems.append(f"{location}: {detail['msg']}" if location else detail["msg"])
        raise ValueError("; ".join(problems) or str(error)) from None


class _InputSupport(typing.NamedTuple):
    """Decoding support for a type. It includes the schema, so that every parameter type has one."""

    decode: Callable[[Any, Any], Any]
    build_schema: Callable[[Any], dict[str, Any]]


class _CustomType(typing.NamedTuple):
    """A family of types that msgspec does not support, such as pydantic models.

    `encode` is None if results cannot contain such values, and `input` is None if arguments cannot.
    """

    matches: Callable[[type], bool]
    """Returns whether a type belongs to the family."""
    encode: Callable[[Any], Any] | None
    input: _InputSupport | None
    build_output_schema: Callable[[Any], dict[str, Any]] | None = None
    """Schema of the encoded form, if it differs from the input schema."""


_CUSTOM_TYPES = (
    _CustomType(
        matches=_is_path_type,
        encode=str,
        input=_InputSupport(_decode_path, lambda _: {"type": "string", "format": "path"}),
    ),
    _CustomType(
        matches=is_pydantic_model,
        encode=lambda value: value.model_dump(mode="json", by_alias=True),
        input=_InputSupport(_validate_pydantic, lambda kind: kind.model_json_schema()),
        build_output_schema=lambda kind: kind.model_json_schema(mode="serialization"),
    ),
    _CustomType(
        matches=lambda kind: kind is complex,
        encode=None,
        input=_InputSupport(
            lambda _, value: complex(value),
            lambda _: {"anyOf": [{"type": "number"}, {"type": "string"}]},
        ),
    ),
    _CustomType(  # numpy arrays and scalars
        matches=lambda kind: hasattr(kind, "tolist"),
        encode=lambda value: value.tolist(),
        input=None,
    ),
)


def decode_hook(kind: type, value: Any) -> Any:
    """Convert JSON data to a custom type."""
    custom_type = _find_custom_type(kind)
    if custom_type is None or custom_type.input is None:
        raise NotImplementedError(f"{kind!r} cannot be read from JSON")
    return custom_type.input.decode(kind, value)


def encode_hook(value: Any) -> Any:
    """Convert a value of a custom type to JSON data."""
    custom_type = _find_custom_type(type(value))
    if custom_type is None or custom_type.encode is None:
        raise NotImplementedError(f"{type(value).__name__} cannot be written as JSON")
    return custom_type.encode(value)


def schema_hook(kind: type) -> dict[str, Any]:
    """Return the JSON Schema of a custom type as input."""
    custom_type = _find_custom_type(kind)
    if custom_type is None or custom_type.input is None:
        raise NotImplementedError(f"{kind!r} has no JSON Schema")
    return custom_type.input.build_schema(kind)


def output_schema_hook(kind: type) -> dict[str, Any]:
    """Return the JSON Schema of a custom type as output."""
    custom_type = _find_custom_type(kind)
    if custom_type is None or custom_type.build_output_schema is None:
        return schema_hook(kind)
    return custom_type.build_output_schema(kind)


def _find_custom_type(kind: type) -> _CustomType | None:
    return next((custom for custom in _CUSTOM_TYPES if custom.matches(kind)), None)


encode_json = msgspec.json.Encoder(enc_hook=encode_hook).encode


def list_component_types(hint: Any) -> list[Any]:
    """Return the types that a type is made up of: its arguments and the types of its fields."""
    return [*typing.get_args(hint), *_list_member_types(hint)]


def _list_member_types(hint: Any) -> list[Any]:
    """Return the field types of a class such as a dataclass, or an empty list."""
    if not isinstance(hint, type) or not getattr(hint, "__annotations__", None):
        return []
    try:
        return list(typing.get_type_hints(hint, include_extras=True).values())
    except Exception:  # noqa: BLE001 - evaluating quoted hints can raise anything; the schema reports it
        return []


def needs_dataclass_defaults(hints: list[Any]) -> bool:
    """Return whether decoded values of these types must pass through `fill_dataclass_defaults`.

    This is the case if they can contain dataclasses without `__slots__`. msgspec leaves the default
    values of their fields on the class, where `vars` and later encoding do not find them.
    """
    visited_ids: set[int] = set()

    def contains_dataclass(hint: Any) -> bool:
        if id(hint) in visited_ids:
            return False
        visited_ids.add(id(hint))
        if _is_unslotted_dataclass(hint):
            return True
        return any(map(contains_dataclass, list_component_types(hint)))

    return any(map(contains_dataclass, hints))


def fill_dataclass_defaults(value: Any) -> Any:
    """Set the missing fields of all dataclasses in a value decoded by msgspec.

    The value is changed in place and returned. `needs_dataclass_defaults` explains why this is
    needed.
    """
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


def _is_unslotted_dataclass(hint: Any) -> bool:
    """Return whether a type hint is a dataclass whose instances have a `__dict__`."""
    return (
        isinstance(hint, type)
        and hasattr(hint, "__dataclass_fields__")
        and "__slots__" not in vars(hint)
    )
