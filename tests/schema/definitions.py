"""Whether a value is what the protocol's schema of a version says it is."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

HERE = Path(__file__).parent
EXTENSIONS = {"2025-11-25": ("skills",), "2026-07-28": ("skills", "tasks")}
"""Definitions written down by us. The older version has tasks of its own, in its schema."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"


@cache
def definitions(version: str) -> dict[str, Any]:
    """The definitions of a version, and of the extensions that it has."""
    found: dict[str, Any] = {"CacheableResult": {}}
    for name in (version, *EXTENSIONS[version]):
        document = json.loads((HERE / f"{name}.json").read_text(encoding="utf-8"))
        found.update(document["$defs"])
    return found


@cache
def names_by_method(version: str) -> dict[str, str]:
    """The definitions of requests and notifications, by the method they are for."""
    found = {}
    for name, definition in definitions(version).items():
        method = definition.get("properties", {}).get("method", {}).get("const")
        if method is not None:
            found[method] = name
    return found


def result_name(version: str, method: str) -> str:
    """The definition of the result of a request."""
    stem = names_by_method(version)[method].removesuffix("Request")
    name = f"{stem}Result"
    return name if name in definitions(version) else "EmptyResult"


def fault(version: str, name: str, value: object) -> str | None:
    """What is wrong with a value as an instance of a definition; None when nothing is."""
    error = next(iter(_validator(version, name).iter_errors(value)), None)
    if error is None:
        return None
    path = "/".join(map(str, error.instance_path))
    return f"{name} of {version}: {error.message} at /{path}"


def schema_fault(schema: Any) -> str | None:
    """What is wrong with a JSON Schema that a server has published."""
    try:
        jsonschema_rs.validator_for(schema)
    except (ValueError, jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError) as error:
        return str(error).splitlines()[0]
    return None


@cache
def _validator(version: str, name: str) -> Any:
    schema = {"$schema": DIALECT, "$ref": f"#/$defs/{name}", "$defs": definitions(version)}
    return jsonschema_rs.validator_for(schema)
