"""Checking data against a JSON Schema that was given as it is.

`jsonschema_rs` does the work; it is loaded, and a schema compiled, when the first value comes.
References to other documents are not followed.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from paddock.errors import DefinitionError

Json = dict[str, Any]


class SchemaValidator:
    """One schema, ready to check values against."""

    __slots__ = ("_compiled_schema", "_schema", "_where")

    def __init__(self, schema: Json, where: str) -> None:
        self._schema = schema
        self._where = where
        self._compiled_schema: Any = None

    def find_error(self, value: Any) -> str | None:
        """What is wrong with a value, and where in it; None when nothing is."""
        if self._compiled_schema is None:
            self._compiled_schema = self._compile()
        error = next(iter(self._compiled_schema.iter_errors(value)), None)
        if error is None:
            return None
        path = "".join(
            f"[{part}]" if isinstance(part, int) else f".{part}" for part in _get_error_path(error)
        )
        return f"{error.message} - at `${path}`"

    def fill_defaults(self, value: Json) -> Json:
        """A copy of an object in which absent members have the defaults of the schema."""
        return _fill_defaults(self._schema, value)

    def _compile(self) -> Any:
        import jsonschema_rs  # noqa: PLC0415 - 20 ms, for schemas that are given as they are

        try:
            return jsonschema_rs.validator_for(self._schema, retriever=_reject_reference)
        except (ValueError, jsonschema_rs.ValidationError) as error:
            text = str(error).splitlines()[0]
            raise DefinitionError(f"not a JSON Schema: {text}", where=self._where) from None


def _reject_reference(uri: str) -> Any:
    raise ValueError(f"a schema may not refer to another document: {uri}")


def _get_error_path(error: Any) -> list[Any]:
    return list(error.instance_path)


def _fill_defaults(schema: Json, value: Json) -> Json:
    filled = dict(value)
    properties = schema.get("properties")
    for name, sub in properties.items() if isinstance(properties, dict) else ():
        if not isinstance(sub, dict):
            continue
        if name not in filled and "default" in sub:
            filled[name] = deepcopy(sub["default"])
        elif isinstance(filled.get(name), dict):
            filled[name] = _fill_defaults(sub, filled[name])
    return filled
