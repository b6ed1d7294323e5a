"""JSON Schemas of type hints.

The schemas of common types are looked up in a table, and msgspec generates all others. The
generated schemas are corrected in two ways:

- msgspec sorts the values of a `Literal` or `Enum`. The order in which the author wrote them is
  restored, because users and models read them in this order.
- pydantic puts `$defs` into the schema of each model, but references are resolved from the root.
  All definitions are therefore moved to the root, and renamed where two with one name differ.
"""

from __future__ import annotations

import enum
import typing
from contextlib import suppress
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

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.authoring.signature import HandlerParameter, HandlerSignature

    SchemaHook = Callable[[type], dict[str, Any]]
Json = dict[str, Any]
_JSON_TYPE_NAMES = {str: "string", int: "integer", bool: "boolean", float: "number"}


def restore_enum_order(schema: Any, hints: list[Any]) -> Any:
    """Return a schema with enum values in the order of the types it was generated from."""
    return _reorder_enums(schema, _collect_enum_values(hints))


def _collect_enum_values(hints: list[Any]) -> dict[frozenset[Any], list[Any]]:
    """Return the values of each `Literal` and `Enum` in type hints, in their declared order.

    msgspec sorts the values in its schemas, so this table is used to restore their order. The keys
    are the sets of values: `Literal["low", "high"]` gives
    `{frozenset({"low", "high"}): ["low", "high"]}`.
    """
    values_by_set: dict[frozenset[Any], list[Any]] = {}
    visited_ids: set[int] = set()
    pending = list(hints)
    while pending:
        hint = pending.pop(0)
        if id(hint) in visited_ids:  # types may refer to themselves
            continue
        visited_ids.add(id(hint))
        if typing.get_origin(hint) is typing.Literal:
            values = list(typing.get_args(hint))
        elif isinstance(hint, enum.EnumMeta):
            members: list[enum.Enum] = list(hint.__members__.values())
            values = list(dict.fromkeys(member.value for member in members))
        else:
            pending = [*list_component_types(hint), *pending]
            continue
        values = [value for value in values if value is not None]
        with suppress(TypeError):  # unhashable values, which msgspec cannot sort either
            values_by_set.setdefault(frozenset(values), values)
    return values_by_set


def _map_children(node: Any, convert: Callable[[Any], Any]) -> Any:
    """Return a copy of a part of a schema, whose direct children are converted."""
    if isinstance(node, list):
        return [convert(item) for item in node]
    return {key: convert(item) for key, item in node.items()} if isinstance(node, dict) else node


def _reorder_enums(schema: Any, values_by_set: dict[frozenset[Any], list[Any]]) -> Any:
    """Return a copy of a schema in which enums have their declared order and a type.

    Args:
        schema: A schema that msgspec has generated, or a part of it.
        values_by_set: The values of each enum in declared order, by the set of the values.
    """
    reordered = _map_children(schema, lambda child: _reorder_enums(child, values_by_set))
    values = reordered.get("enum") if isinstance(reordered, dict) else None
    if not isinstance(values, list):
        return reordered
    # A schema does not refer to the type that it was generated from, so the type is found by its
    # set of values.
    declared_values = values_by_set.get(_to_frozenset(values))
    reordered["enum"] = list(declared_values) if declared_values else values
    # msgspec writes enums without the type that their values have in common.
    type_names = {_JSON_TYPE_NAMES.get(type(value)) for value in values}
    if len(type_names) == 1 and None not in type_names and "type" not in reordered:
        reordered = {"type": type_names.pop(), **reordered}
    return reordered


def _to_frozenset(values: list[Any]) -> frozenset[Any]:
    try:
        return frozenset(values)
    except TypeError:
        return frozenset()


_DEFINITION_PREFIX = "#/$defs/"


def hoist_definitions(schemas: list[Json], definitions: Json) -> tuple[list[Json], Json]:
    """Return schemas without nested `$defs`, and one dictionary with all their definitions.

    The schemas become parts of one larger schema, whose references are resolved from its root.

    Args:
        schemas: The schemas, such as one for each parameter of a handler.
        definitions: The definitions that the schemas already share, by name.
    """
    common: Json = dict(definitions)
    flat_schemas = [_hoist_node(schema, common) for schema in schemas]
    for name in list(definitions):
        common[name] = _hoist_node(definitions[name], common)
    return flat_schemas, common


def _hoist_node(node: Any, common: Json) -> Any:
    """Return a copy of a part of a schema, and move the definitions nested in it to `common`."""
    nested_definitions = node.get("$defs") if isinstance(node, dict) else None
    if isinstance(nested_definitions, dict):
        new_names = {
            name: _add_definition(name, schema, common)
            for name, schema in nested_definitions.items()
        }
        # References are renamed before the definitions are moved, because two models may use one
        # name for different definitions.
        node = _rename_references(
            {key: value for key, value in node.items() if key != "$defs"}, new_names
        )
        for name, schema in nested_definitions.items():
            common[new_names[name]] = _hoist_node(_rename_references(schema, new_names), common)
    return _map_children(node, lambda child: _hoist_node(child, common))


def _add_definition(name: str, schema: Json, common: Json) -> str:
    """Add a definition to the common dictionary, and return its name there.

    If the name is used by a different definition, a number is appended, as in `Point2`. Equal
    definitions share a name, so a model that several parameters use appears once.
    """
    unique_name, number = name, 1
    while unique_name in common and common[unique_name] != schema:
        number += 1
        unique_name = f"{name}{number}"
    common.setdefault(unique_name, schema)
    return unique_name


def _rename_references(node: Any, new_names: dict[str, str]) -> Any:
    """Return a copy of a part of a schema whose references use the new names of definitions.

    For example, `{"$ref": "#/$defs/Point"}` becomes `{"$ref": "#/$defs/Point2"}`.

    Args:
        node: The part of the schema.
        new_names: The new names by old name. Other references are kept.
    """
    copied_node = _map_children(node, lambda child: _rename_references(child, new_names))
    reference = copied_node.get("$ref") if isinstance(copied_node, dict) else None
    if isinstance(reference, str) and reference.startswith(_DEFINITION_PREFIX):
        name = reference.removeprefix(_DEFINITION_PREFIX)
        copied_node["$ref"] = _DEFINITION_PREFIX + new_names.get(name, name)
    return copied_node


JSON_SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"

_SIMPLE_SCHEMAS: dict[Any, Json] = {
    # Most parameters have one of these types, and a look-up is cheaper than msgspec's schemas.
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
    """Return the JSON Schema of a tool's arguments, derived from the signature of its handler.

    Raises:
        DefinitionError: A parameter has a type without a schema.
    """
    parameters, descriptions = signature.parameters, signature.get_parameter_descriptions()
    schemas, definitions = _build_schemas([parameter.type_hint for parameter in parameters], where)
    properties = {
        parameter.name: _describe_property(schema, parameter, descriptions[parameter.name])
        for parameter, schema in zip(parameters, schemas, strict=True)
    }
    arguments_schema: Json = {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }
    required = [parameter.name for parameter in parameters if parameter.is_required]
    if required:
        arguments_schema["required"] = required
    if definitions:
        arguments_schema["$defs"] = definitions
    return arguments_schema


def build_type_schema(hint: Any, where: str, *, is_output: bool = False) -> Json:
    """Return the JSON Schema of a type.

    Args:
        hint: A type hint.
        where: The name of the item that uses the type, for error messages.
        is_output: Describe the form in which values are encoded. By default, the schema describes
            the form in which they are decoded, which may differ for pydantic models.

    Raises:
        DefinitionError: The type has no schema.
    """
    (schema,), definitions = _build_schemas(
        [hint], where, output_schema_hook if is_output else schema_hook
    )
    reference = schema.get("$ref")
    if isinstance(reference, str):
        # Clients look for "type" at the root, so a root that is only a reference is replaced.
        name = reference.rpartition("/")[2]
        target = definitions[name]
        # A type that refers to itself, such as a tree, still needs its definition.
        is_recursive = reference in msgspec.json.encode(definitions).decode()
        if not is_recursive:
            definitions = {key: value for key, value in definitions.items() if key != name}
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    return {**schema, "$defs": definitions} if definitions else schema


def _build_schemas(
    hints: Sequence[Any], where: str, hook: SchemaHook = schema_hook
) -> tuple[list[Json], Json]:
    """Return the schemas of several types, in their order, and the definitions that they share.

    Simple types such as `int` have fixed schemas. msgspec generates the schemas of all others.
    """
    simple_schemas = [_find_simple_schema(hint) for hint in hints]
    # msgspec is called once for all other hints, so that they share definitions.
    other_hints = [
        hint for hint, schema in zip(hints, simple_schemas, strict=True) if schema is None
    ]
    schemas: list[Json] = []
    definitions: Json = {}
    if other_hints:
        schemas, definitions = _build_components(other_hints, where, hook)
    other_schemas = iter(schemas)
    return [
        next(other_schemas) if schema is None else dict(schema) for schema in simple_schemas
    ], definitions


def _find_simple_schema(hint: Any) -> Json | None:
    try:
        return _SIMPLE_SCHEMAS.get(hint)
    except TypeError:  # an unhashable hint, such as Annotated with a list in it
        return None


def _build_components(hints: list[Any], where: str, hook: SchemaHook) -> tuple[list[Json], Json]:
    """Return the schemas that msgspec generates for types, and the definitions that they share.

    The schemas are corrected: enums get back their declared order, and definitions that are nested
    in the schemas of pydantic models are moved to the shared definitions.

    Raises:
        DefinitionError: A type does not have a schema.
    """
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


def _describe_property(schema: Json, parameter: HandlerParameter, description: str) -> Json:
    """Return the schema of a parameter's type, with the parameter's description and default."""
    annotations: Json = {}
    if description:
        annotations["description"] = description
    if parameter.default is not NO_DEFAULT:
        # Defaults without a JSON form, such as sentinels, are left out of the schema.
        default = _encode_default(parameter.default)
        if default is not NO_DEFAULT:
            annotations["default"] = default
    return {**schema, **annotations}


def _encode_default(default: object) -> Any:
    try:
        return msgspec.json.decode(encode_json(default))
    except (TypeError, NotImplementedError, ValueError):
        return NO_DEFAULT
