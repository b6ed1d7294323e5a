"""Reading of JSON Schemas, including those of other servers: references and accepted types."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

MAX_REFERENCE_DEPTH = 16
TYPE_NAMES_BY_CLASS: dict[type, tuple[str, ...]] = {
    bool: ("boolean",),
    int: ("integer", "number"),
    float: ("number",),
    dict: ("object",),
    list: ("array",),
    type(None): ("null",),
}
"""The JSON Schema types that accept values of a Python class. Other values are strings."""


def resolve_reference(reference: str, schema: Json) -> Json:
    """Return the part of a schema that a `#/…` reference points to, or an empty schema."""
    node: object = schema if reference.startswith("#") else None
    for key in reference.split("/")[1:]:
        node = node.get(key) if isinstance(node, dict) else None
    return node if isinstance(node, dict) else {}


def find_accepted_types(subschema: object, schema: Json) -> set[str]:
    """Return the JSON types that a part of a schema accepts; empty if any type may do."""
    return _find_accepted_types(subschema, schema, 0)


def _find_accepted_types(subschema: object, schema: Json, depth: int) -> set[str]:
    """Return the JSON types of a subschema, or an empty set if they are not restricted.

    Args:
        subschema: The schema of one argument.
        schema: The root schema, in which references are resolved.
        depth: The number of references and combinations followed so far.
    """
    # The depth is limited, because references may form a cycle.
    if not isinstance(subschema, dict) or depth > MAX_REFERENCE_DEPTH:
        return set()
    reference = subschema.get("$ref")
    if isinstance(reference, str):
        return _find_accepted_types(resolve_reference(reference, schema), schema, depth + 1)
    if isinstance(subschema.get("enum"), list):
        return {name for value in subschema["enum"] for name in _get_type_names(value)}
    if "const" in subschema:
        return set(_get_type_names(subschema["const"]))
    for key in ("anyOf", "oneOf", "allOf"):
        if isinstance(subschema.get(key), list):
            types = (_find_accepted_types(part, schema, depth + 1) for part in subschema[key])
            return set().union(*types)
    declared_type = subschema.get("type")
    if isinstance(declared_type, list):
        return set(map(str, declared_type))
    return {str(declared_type)} if declared_type else set()


def _get_type_names(value: object) -> tuple[str, ...]:
    return TYPE_NAMES_BY_CLASS.get(type(value), ("string",))
