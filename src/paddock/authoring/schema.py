"""Choices in the order in which their author wrote them.

msgspec sorts the values of a `Literal` or an `Enum` in the schemas it makes. Forms and models
read them in order, so the schemas are put right: every list of choices that a type holds is found,
and put in the place of its sorted twin, with the type that its values have in common.

Bringing the definitions that a schema holds somewhere inside to its root.

Pydantic gives each model a schema with `$defs` of its own, and references count from the root. So
all definitions are moved there, and those of one name that differ get names of their own.

JSON Schema from type hints.

The common types are looked up in a table; everything else is msgspec's work. Definitions that
several parameters share are gathered under `$defs` of the one schema.
"""

from __future__ import annotations

import enum
import typing
from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.tool import NO_DEFAULT
from paddock.authoring.type_hooks import (
    encode_json,
    list_component_types,
    output_schema_hook,
    schema_hook,
)
from paddock.errors import DefinitionError

Json = dict[str, Any]
_JSON_TYPE_NAMES = {str: "string", int: "integer", bool: "boolean", float: "number"}


def restore_enum_order(schema: Any, hints: list[Any]) -> Any:
    """A schema whose choices stand in the order of the types that it was made from."""
    return _reorder_enums(schema, _EnumValueCollector(hints).values_by_set)


class _EnumValueCollector:
    """Every list of choices in some types, by the set of its values."""

    def __init__(self, hints: list[Any]) -> None:
        self.values_by_set: dict[frozenset[Any], list[Any]] = {}
        self._visited_ids: set[int] = set()
        for hint in hints:
            self._collect(hint)

    def _collect(self, hint: Any) -> None:
        if id(hint) in self._visited_ids:
            return
        self._visited_ids.add(id(hint))
        if typing.get_origin(hint) is typing.Literal:
            self._add_values(list(typing.get_args(hint)))
        elif isinstance(hint, enum.EnumMeta):
            members: list[enum.Enum] = list(hint.__members__.values())
            self._add_values(list(dict.fromkeys(member.value for member in members)))
        else:
            for part in list_component_types(hint):
                self._collect(part)

    def _add_values(self, values: list[Any]) -> None:
        values = [value for value in values if value is not None]
        try:
            self.values_by_set.setdefault(frozenset(values), values)
        except TypeError:  # values that no set can hold have no order to lose either
            return


def _reorder_enums(schema: Any, choices: dict[frozenset[Any], list[Any]]) -> Any:
    if isinstance(schema, list):
        return [_reorder_enums(item, choices) for item in schema]
    if not isinstance(schema, dict):
        return schema
    ordered = {key: _reorder_enums(value, choices) for key, value in schema.items()}
    values = ordered.get("enum")
    if isinstance(values, list):
        known = choices.get(_to_frozenset(values))
        ordered["enum"] = list(known) if known else values
        kinds = {_JSON_TYPE_NAMES.get(type(value)) for value in values}
        if len(kinds) == 1 and None not in kinds and "type" not in ordered:
            ordered = {"type": kinds.pop(), **ordered}
    return ordered


def _to_frozenset(values: list[Any]) -> frozenset[Any]:
    try:
        return frozenset(values)
    except TypeError:
        return frozenset()


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
        names = {
            name: _choose_definition_name(name, schema, common) for name, schema in inner.items()
        }
        node = _rename_references(
            {key: value for key, value in node.items() if key != "$defs"}, names
        )
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


if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    SchemaHook = Callable[[type], dict[str, Any]]

    from paddock.authoring.signature import HandlerParameter, HandlerSignature


JSON_SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"

_SIMPLE_SCHEMAS: dict[Any, Json] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    list: {"type": "array"},
    dict: {"type": "object"},
    Any: {},
    object: {},
    list[str]: {"type": "array", "items": {"type": "string"}},
    list[int]: {"type": "array", "items": {"type": "integer"}},
    list[float]: {"type": "array", "items": {"type": "number"}},
    dict[str, Any]: {"type": "object"},
    dict[str, object]: {"type": "object"},
    str | None: {"anyOf": [{"type": "string"}, {"type": "null"}]},
    int | None: {"anyOf": [{"type": "integer"}, {"type": "null"}]},
    float | None: {"anyOf": [{"type": "number"}, {"type": "null"}]},
    bool | None: {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
}


def build_arguments_schema(signature: HandlerSignature, where: str) -> Json:
    """The schema of the arguments that a function takes.

    Raises:
        DefinitionError: when a parameter has a type that has no schema.
    """
    parameters, descriptions = signature.parameters, signature.get_parameter_descriptions()
    schemas, definitions = _build_schemas([taken.type_hint for taken in parameters], where)
    properties = {
        taken.name: _describe_property(schema, taken, descriptions[taken.name])
        for taken, schema in zip(parameters, schemas, strict=True)
    }
    result: Json = {"type": "object", "properties": properties, "additionalProperties": False}
    required = [taken.name for taken in parameters if taken.is_required]
    if required:
        result["required"] = required
    if definitions:
        result["$defs"] = definitions
    return result


def build_type_schema(hint: Any, where: str, *, is_output: bool = False) -> Json:
    """The schema of one type, of what it reads or (`is_output`) of what it writes.

    Raises:
        DefinitionError: when it has none.
    """
    (schema,), definitions = _build_schemas(
        [hint], where, output_schema_hook if is_output else schema_hook
    )
    reference = schema.get("$ref")
    if isinstance(reference, str):
        # A root that is only a reference says nothing about its type to the clients that look.
        name = reference.rpartition("/")[2]
        target = definitions[name]
        if reference not in _to_json_text(definitions):
            definitions = {key: value for key, value in definitions.items() if key != name}
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    return {**schema, "$defs": definitions} if definitions else schema


def _build_schemas(
    hints: Sequence[Any], where: str, hook: SchemaHook = schema_hook
) -> tuple[list[Json], Json]:
    found: dict[int, Json] = {}
    for index, hint in enumerate(hints):
        simple = _find_simple_schema(hint)
        if simple is not None:
            found[index] = dict(simple)
    rest = [index for index in range(len(hints)) if index not in found]
    definitions: Json = {}
    if rest:
        schemas, definitions = _build_components([hints[index] for index in rest], where, hook)
        found.update(zip(rest, schemas, strict=True))
    return [found[index] for index in range(len(hints))], definitions


def _find_simple_schema(hint: Any) -> Json | None:
    try:
        return _SIMPLE_SCHEMAS.get(hint)
    except TypeError:  # an unhashable hint, such as Annotated with a list in it
        return None


def _build_components(hints: list[Any], where: str, hook: SchemaHook) -> tuple[list[Json], Json]:
    try:
        schemas, definitions = msgspec.json.schema_components(
            hints, schema_hook=hook, ref_template="#/$defs/{name}"
        )
    except (TypeError, NotImplementedError, NameError) as error:
        raise DefinitionError(
            f"a type has no JSON Schema: {str(error).splitlines()[-1]}",
            where=where,
            hint="use a Struct, dataclass, TypedDict, pydantic model or a plain type, "
            "or give input_schema",
        ) from None
    return hoist_definitions(
        restore_enum_order(list(schemas), hints), restore_enum_order(dict(definitions), hints)
    )


def _describe_property(schema: Json, taken: HandlerParameter, description: str) -> Json:
    extra: Json = {}
    if description:
        extra["description"] = description
    if taken.default is not NO_DEFAULT:
        shown = _encode_default(taken.default)
        if shown is not NO_DEFAULT:
            extra["default"] = shown
    return {**schema, **extra}


def _encode_default(default: object) -> Any:
    try:
        return msgspec.json.decode(encode_json(default))
    except (TypeError, NotImplementedError, ValueError):
        return NO_DEFAULT


def _to_json_text(value: object) -> str:
    return msgspec.json.encode(value).decode()
