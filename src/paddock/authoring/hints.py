"""Types that msgspec does not know by itself: paths, pydantic models, and more.

A type takes part by three hooks: how its values are read from plain data, how they are written,
and what their JSON Schema is. Pydantic is used when the author's types are its models, and never
imported for its own sake.
"""

from __future__ import annotations

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
