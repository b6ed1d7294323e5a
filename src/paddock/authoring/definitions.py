"""Bringing the definitions that a schema holds somewhere inside to its root.

Pydantic gives each model a schema with `$defs` of its own, and references count from the root. So
all definitions are moved there, and those of one name that differ get names of their own.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
_DEFINITION_PREFIX = "#/$defs/"


def hoist_definitions(schemas: list[Json], definitions: Json) -> tuple[list[Json], Json]:
    """Schemas without definitions of their own, and all definitions."""
    common: Json = dict(definitions)
    moved = [_hoist_node(schema, common) for schema in schemas]
    for name in list(definitions):
        common[name] = _hoist_node(definitions[name], common)
    return moved, common


def _hoist_node(node: Any, common: Json) -> Any:
    if isinstance(node, list):
        return [_hoist_node(item, common) for item in node]
    if not isinstance(node, dict):
        return node
    inner = node.get("$defs")
    if isinstance(inner, dict):
        names = {name: _choose_definition_name(name, schema, common) for name, schema in inner.items()}
        node = _rename_references({key: value for key, value in node.items() if key != "$defs"}, names)
        for name, schema in inner.items():
            common[names[name]] = _hoist_node(_rename_references(schema, names), common)
    return {key: _hoist_node(value, common) for key, value in node.items()}


def _choose_definition_name(name: str, schema: Json, common: Json) -> str:
    candidate, number = name, 1
    while candidate in common and common[candidate] != schema:
        number += 1
        candidate = f"{name}{number}"
    common.setdefault(candidate, schema)
    return candidate


def _rename_references(node: Any, names: dict[str, str]) -> Any:
    if isinstance(node, list):
        return [_rename_references(item, names) for item in node]
    if not isinstance(node, dict):
        return node
    found = {key: _rename_references(value, names) for key, value in node.items()}
    reference = found.get("$ref")
    if isinstance(reference, str) and reference.startswith(_DEFINITION_PREFIX):
        name = reference.removeprefix(_DEFINITION_PREFIX)
        found["$ref"] = _DEFINITION_PREFIX + names.get(name, name)
    return found
