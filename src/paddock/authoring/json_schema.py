"""Reads JSON Schemas, including those of other servers, and validates data against them.

Validation uses `jsonschema_rs`, which is imported when the first value is validated. References to
other documents are rejected, because resolving them would fetch URLs chosen by the schema.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from paddock.errors import DefinitionError

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
    """Return the JSON types that part of a schema accepts, or an empty set if it may accept any."""
    return _find_accepted_types(subschema, schema, 0)


def _find_accepted_types(subschema: object, schema: Json, depth: int) -> set[str]:
    """Return the JSON types that an argument may have, such as `{"integer", "null"}`.

    The set is empty if the schema does not restrict the types.

    Args:
        subschema: The schema of the argument.
        schema: The root schema, in which references are resolved.
        depth: The number of references and combinations followed so far. It is limited, because
            references may form a cycle.
    """
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
            return set().union(
                *(_find_accepted_types(part, schema, depth + 1) for part in subschema[key])
            )
    declared_type = subschema.get("type")
    if isinstance(declared_type, list):
        return set(map(str, declared_type))
    return {str(declared_type)} if declared_type else set()


def _get_type_names(value: object) -> tuple[str, ...]:
    return TYPE_NAMES_BY_CLASS.get(type(value), ("string",))


class SchemaValidator:
    """Validator for one JSON Schema, which is compiled on first use."""

    __slots__ = ("_compiled_schema", "_schema", "_where")

    def __init__(self, schema: Json, where: str) -> None:
        self._schema = schema
        self._where = where
        self._compiled_schema: Any = None

    def find_error(self, value: Any) -> str | None:
        """Return the first violation of the schema, or None if the value is valid.

        For example: ``"x" is not of type "integer" - at `$.points[0]` ``.
        """
        if self._compiled_schema is None:
            self._compiled_schema = self._compile()
        error = next(iter(self._compiled_schema.iter_errors(value)), None)
        if error is None:
            return None
        path = "".join(
            f"[{step}]" if isinstance(step, int) else f".{step}" for step in error.instance_path
        )
        return f"{error.message} - at `${path}`"

    def fill_defaults(self, value: Json) -> Json:
        """Return a copy of an object, with missing properties set to the schema's defaults."""
        return _fill_defaults(self._schema, value)

    def _compile(self) -> Any:
        """Return the compiled schema.

        Raises:
            DefinitionError: The schema is invalid.
        """
        # The import takes 20 ms, and most schemas come from type hints and need no validator.
        import jsonschema_rs

        try:
            return jsonschema_rs.validator_for(self._schema, retriever=_reject_reference)
        except (ValueError, jsonschema_rs.ValidationError) as error:
            text = str(error).splitlines()[0]
            raise DefinitionError(f"not a JSON Schema: {text}", where=self._where) from None


def _reject_reference(uri: str) -> Any:
    raise ValueError(f"a schema may not refer to another document: {uri}")


def _fill_defaults(schema: Json, value: Json) -> Json:
    """Return a copy of an object, with missing properties set to the schema's defaults.

    Defaults are also added to nested objects, but only if these are present.
    """
    filled = dict(value)
    properties = schema.get("properties")
    for name, subschema in properties.items() if isinstance(properties, dict) else ():
        if not isinstance(subschema, dict):
            continue
        if name not in filled and "default" in subschema:
            filled[name] = deepcopy(subschema["default"])
        elif isinstance(filled.get(name), dict):
            filled[name] = _fill_defaults(subschema, filled[name])
    return filled
