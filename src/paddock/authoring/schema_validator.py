"""Validation of data against raw JSON Schemas.

Uses `jsonschema_rs`, which is imported when the first value is validated. References to other
documents are rejected, because resolving them would fetch URLs of the schema's choice.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from paddock.errors import DefinitionError

Json = dict[str, Any]


class SchemaValidator:
    """Validator for one JSON Schema, compiled on first use."""

    __slots__ = ("_compiled_schema", "_schema", "_where")

    def __init__(self, schema: Json, where: str) -> None:
        self._schema = schema
        self._where = where
        self._compiled_schema: Any = None

    def find_error(self, value: Any) -> str | None:
        """Return the first violation and its path, or None if the value is valid."""
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
        """Return a copy of an object, with the schema's defaults for missing members."""
        return _fill_defaults(self._schema, value)

    def _compile(self) -> Any:
        import jsonschema_rs  # 20 ms, and most schemas come from type hints

        try:
            return jsonschema_rs.validator_for(self._schema, retriever=_reject_reference)
        except (ValueError, jsonschema_rs.ValidationError) as error:
            text = str(error).splitlines()[0]
            raise DefinitionError(f"not a JSON Schema: {text}", where=self._where) from None


def _reject_reference(uri: str) -> Any:
    raise ValueError(f"a schema may not refer to another document: {uri}")


def _fill_defaults(schema: Json, value: Json) -> Json:
    """Return a copy of an object in which missing properties have their defaults, recursively."""
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
