"""Decoding and validation of a call's arguments, and explanations of invalid ones for models.

There is one kind of reader for each way to declare parameters. Arguments for type hints are decoded
into a Struct. Arguments for a list of `Parameter`s are decoded into a Struct, which is then
converted to a dictionary. Arguments for a JSON Schema are decoded into a dictionary and validated.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Raw

from paddock.authoring.json_schema import SchemaValidator, find_accepted_types, resolve_reference
from paddock.authoring.tool import NO_DEFAULT
from paddock.authoring.type_hooks import (
    decode_hook,
    fill_dataclass_defaults,
    needs_dataclass_defaults,
)
from paddock.errors import DefinitionError
from paddock.protocol.jsonrpc import DECODE_ERRORS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from paddock.authoring.signature import HandlerParameter
    from paddock.authoring.tool import Parameter


Json = dict[str, Any]

_ERROR_PATH = re.compile(r"- at `\$(.*)`$")
_PATH_STEP = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")


def explain_error(error: Exception, schema: Json) -> str:
    """Return a decoder's message with the facts that a model needs to correct its call.

    The decoder names neither the values of an enum nor the other parameters, so both are added.
    """
    text = str(error)
    if text.startswith("Invalid enum value"):
        choices = _find_subschema(schema, text).get("enum")
        if choices:
            text += f", expected one of {', '.join(map(repr, choices))}"
    names = schema.get("properties")
    parameter_names = ", ".join(names) if isinstance(names, dict) and names else "none"
    return f"{text}. Parameters: {parameter_names}."


def get_error_path(error: Exception) -> str:
    """Return the path of the invalid argument in a decoder's message, as in `$.items[0]`."""
    match = _ERROR_PATH.search(str(error))
    return f"${match[1]}" if match else ""


def _find_subschema(schema: Json, text: str) -> Json:
    """Return the subschema of the argument that a decoder's message is about."""
    match = _ERROR_PATH.search(text)
    subschema = schema
    for step in _PATH_STEP.finditer(match[1]) if match else ():
        subschema = _resolve_subschema(subschema, schema)
        child = subschema.get("properties", {}).get(step[1]) if step[1] else subschema.get("items")
        subschema = child if isinstance(child, dict) else {}
    return _resolve_subschema(subschema, schema)


def _resolve_subschema(subschema: Json, schema: Json) -> Json:
    """Follow a reference, after picking the first alternative that is not null."""
    for alternative in subschema.get("anyOf", ()):
        if isinstance(alternative, dict) and alternative.get("type") != "null":
            subschema = alternative
            break
    reference = subschema.get("$ref")
    return resolve_reference(reference, schema) if isinstance(reference, str) else subschema


_JSON_TYPES: dict[str, Any] = {
    "string": str,
    "integer": int,
    "number": int | float,
    "boolean": bool,
    "array": list[Any],
    "object": dict[str, Any],
    "null": None,
}
_MODEL_ATTRIBUTES = (
    *("__struct_fields__", "__dataclass_fields__"),
    *("__attrs_attrs__", "__pydantic_fields__"),
)
_BOOLEAN_WORDS = {"true": True, "yes": True, "false": False, "no": False}
_decode_any = msgspec.json.Decoder().decode
_decode_object = msgspec.json.Decoder(dict[str, Any]).decode


EMPTY_ARGUMENTS = Raw(b"{}")


def create_typed_reader(
    parameters: Sequence[HandlerParameter], where: str
) -> Callable[[Raw | bytes], Any]:
    """Return a function that decodes arguments into a Struct with the handler's parameters."""
    fields = [
        (parameter.name, parameter.type_hint, *_to_field_default(parameter.default))
        for parameter in parameters
    ]
    read = _create_struct_reader(fields, where)
    if needs_dataclass_defaults([parameter.type_hint for parameter in parameters]):
        return lambda raw: fill_dataclass_defaults(read(raw))
    return read


def create_struct_reader(
    struct: type[msgspec.Struct], where: str
) -> Callable[[Raw | bytes], msgspec.Struct]:
    """Return a function that decodes arguments into a Struct that the tool declares.

    Raises:
        DefinitionError: msgspec does not support the type of a field.
    """
    with _convert_type_errors(where):
        return msgspec.json.Decoder(struct, dec_hook=decode_hook).decode


def create_parameter_reader(
    parameters: Sequence[Parameter], where: str
) -> Callable[[Raw | bytes], dict[str, Any]]:
    """Return a function that decodes arguments declared by `Parameter`s into a dictionary."""
    fields: list[Any] = []
    names = [parameter.name for parameter in parameters]
    for index, parameter in enumerate(parameters):
        hint, field = _JSON_TYPES[parameter.type], f"parameter_{index}"
        if parameter.default is not NO_DEFAULT:
            fields.append((field, hint, *_to_field_default(parameter.default)))
        elif parameter.required:
            fields.append((field, hint))
        else:
            # UNSET distinguishes an argument that was left out from one that is null.
            fields.append((field, hint | msgspec.UnsetType, UNSET))
    # The fields of a Struct must be Python identifiers, but a parameter may have any name. The
    # numbered fields are therefore renamed for JSON.
    read = _create_struct_reader(
        fields, where, dict(zip([field[0] for field in fields], names, strict=True))
    )

    def read_dictionary(raw: Raw | bytes) -> dict[str, Any]:
        values = zip(names, msgspec.structs.astuple(read(raw)), strict=True)
        return {name: value for name, value in values if value is not UNSET}

    return read_dictionary


def create_schema_reader(schema: Json, where: str) -> Callable[[Raw | bytes], dict[str, Any]]:
    """Return a function that decodes arguments and validates them against a JSON Schema."""
    validator = SchemaValidator(schema, where)

    def read(raw: Raw | bytes) -> dict[str, Any]:
        arguments = validator.fill_defaults(_decode_object(raw))
        error = validator.find_error(arguments)
        if error is not None:
            raise msgspec.ValidationError(error)
        return arguments

    return read


def build_parameter_schema(parameters: Sequence[Parameter], dialect: str) -> Json:
    """Return the JSON Schema of a list of `Parameter`s."""
    return {
        "$schema": dialect,
        "type": "object",
        "properties": {parameter.name: _build_property(parameter) for parameter in parameters},
        "required": [
            parameter.name
            for parameter in parameters
            if parameter.required and parameter.default is NO_DEFAULT
        ],
        "additionalProperties": False,
    }


def _build_property(parameter: Parameter) -> Json:
    property_schema: Json = {"type": parameter.type, "description": parameter.description}
    if parameter.default is not NO_DEFAULT:
        property_schema["default"] = parameter.default
    if parameter.header is not None:
        property_schema["x-mcp-header"] = parameter.header
    return property_schema


def _to_field_default(default: object) -> tuple[Any, ...]:
    """Return the default as the last item of a Struct field, or () for a required field."""
    if default is NO_DEFAULT:
        return ()
    if not _is_mutable_default(default):
        return (default,)
    # Each call gets its own copy; otherwise a handler could change the default of later calls.
    return (msgspec.field(default_factory=lambda: deepcopy(default)),)


def _is_mutable_default(default: object) -> bool:
    # Other objects, such as sentinels, are compared by identity and must not be copied.
    if isinstance(default, list | dict | set | bytearray):
        return True
    return any(hasattr(type(default), attribute) for attribute in _MODEL_ATTRIBUTES)


def _create_struct_reader(
    fields: list[Any], where: str, rename: dict[str, str] | None = None
) -> Callable[[Raw | bytes], Any]:
    """Return a decoder for a Struct with these fields.

    Args:
        fields: Name, type and optional default of each field.
        where: The tool's name, for error messages.
        rename: The JSON names of fields whose own names differ.

    Raises:
        DefinitionError: msgspec does not support a type or default.
    """
    with _convert_type_errors(where):
        # Unknown fields are forbidden, because a misspelled optional argument would otherwise be
        # ignored silently.
        struct = msgspec.defstruct(
            "Arguments", fields, forbid_unknown_fields=True, kw_only=True, rename=rename
        )
        return msgspec.json.Decoder(struct, dec_hook=decode_hook).decode


@contextmanager
def _convert_type_errors(where: str) -> Iterator[None]:
    """Convert msgspec's error for an unsupported type or default to a DefinitionError."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise DefinitionError(
            str(error).splitlines()[0], where=where, hint="check the parameters' types"
        ) from None


def is_json_object(raw: object) -> bool:
    """Return whether raw arguments are a JSON object, as the protocol requires."""
    return not isinstance(raw, Raw) or bytes(raw)[:1] == b"{"


def repair_arguments(raw: object) -> Raw | bytes:
    """Correct deviations from the schema that are known from clients and harmless.

    Some clients send null instead of an empty object. Some write integers as 5.0, which JSON Schema
    accepts as an integer but msgspec does not. Arguments that are not JSON are returned unchanged.
    """
    if not isinstance(raw, Raw):
        return EMPTY_ARGUMENTS
    try:
        value = _decode_any(raw)
    except DECODE_ERRORS:
        return raw
    return (
        EMPTY_ARGUMENTS if value is None else msgspec.json.encode(_convert_integral_floats(value))
    )


def coerce_strings(raw: Raw | bytes, schema: Json) -> Raw | bytes:
    """Convert strings to numbers and booleans where the schema requires those.

    Used for tools that are declared as `lenient`. Null is removed from optional arguments that do
    not accept it. A string that cannot be converted is kept, so that validation reports it.
    """
    try:
        arguments = _decode_object(raw)
    except DECODE_ERRORS:
        return raw
    properties, required = schema.get("properties", {}), schema.get("required", ())
    converted = {}
    for name, value in arguments.items():
        types = find_accepted_types(properties.get(name), schema)
        # Null for an optional argument means that it is not given.
        if value is None and types and "null" not in types and name not in required:
            continue
        converted[name] = _coerce_string(value, types) if isinstance(value, str) else value
    return msgspec.json.encode(converted)


def _coerce_string(text: str, types: set[str]) -> object:
    """Return the value that a string means if one of these JSON types is required."""
    if "string" in types:
        return text
    word = text.strip().lower()
    if "boolean" in types and word in _BOOLEAN_WORDS:
        return _BOOLEAN_WORDS[word]
    if types & {"integer", "number"}:
        try:
            return _convert_integral_floats(_decode_any(text))
        except DECODE_ERRORS:
            return text
    return text


def _convert_integral_floats(value: Any) -> Any:
    """Return JSON data with integers where a client has written `5.0`."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_convert_integral_floats(item) for item in value]
    if isinstance(value, dict):
        return {key: _convert_integral_floats(item) for key, item in value.items()}
    return value
