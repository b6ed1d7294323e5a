"""JSON Schema from type hints.

The common types are looked up in a table; everything else is msgspec's work. Definitions that
several parameters share are gathered under `$defs` of the one schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from paddock.authoring.choices import restore_enum_order
from paddock.authoring.definitions import hoist_definitions
from paddock.authoring.hints import encode_json, output_schema_hook, schema_hook
from paddock.authoring.tool import NO_DEFAULT
from paddock.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    SchemaHook = Callable[[type], dict[str, Any]]

    from paddock.authoring.signature import HandlerSignature, HandlerParameter

Json = dict[str, Any]

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
    return hoist_definitions(restore_enum_order(list(schemas), hints), restore_enum_order(dict(definitions), hints))


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
