"""Checking data against a JSON Schema that was given as it is.

`jsonschema_rs` does the work; it is loaded, and a schema compiled, when the first value comes.
References to other documents are not followed.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from paddock.errors import DefinitionError

Json = dict[str, Any]


class Validator:
    """One schema, ready to check values against."""

    __slots__ = ("_compiled", "_schema", "_where")

    def __init__(self, schema: Json, where: str) -> None:
        self._schema = schema
        self._where = where
        self._compiled: Any = None

    def fault(self, value: Any) -> str | None:
        """What is wrong with a value, and where in it; None when nothing is."""
        if self._compiled is None:
            self._compiled = self._compile()
        error = next(iter(self._compiled.iter_errors(value)), None)
        if error is None:
            return None
        path = "".join(
            f"[{part}]" if isinstance(part, int) else f".{part}" for part in _path(error)
        )
        return f"{error.message} - at `${path}`"

    def with_defaults(self, value: Json) -> Json:
        """A copy of an object in which absent members have the defaults of the schema."""
        return _filled(self._schema, value)

    def _compile(self) -> Any:
        import jsonschema_rs  # noqa: PLC0415 - 20 ms, for schemas that are given as they are

        try:
            return jsonschema_rs.validator_for(self._schema, retriever=_refuse)
        except (ValueError, jsonschema_rs.ValidationError) as error:
            text = str(error).splitlines()[0]
            raise DefinitionError(f"not a JSON Schema: {text}", where=self._where) from None


def _refuse(uri: str) -> Any:
    raise ValueError(f"a schema may not refer to another document: {uri}")


def _path(error: Any) -> list[Any]:
    return list(error.instance_path)


def _filled(schema: Json, value: Json) -> Json:
    filled = dict(value)
    properties = schema.get("properties")
    for name, sub in properties.items() if isinstance(properties, dict) else ():
        if not isinstance(sub, dict):
            continue
        if name not in filled and "default" in sub:
            filled[name] = deepcopy(sub["default"])
        elif isinstance(filled.get(name), dict):
            filled[name] = _filled(sub, filled[name])
    return filled
