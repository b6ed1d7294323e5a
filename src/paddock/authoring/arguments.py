"""Decodes and validates call arguments, and explains invalid ones to models.

Each way to declare parameters has its own kind of decoder. With type hints, arguments are decoded
into a Struct. With a list of `Parameter`s, they are decoded into a Struct, which is then converted
to a dictionary. With a JSON Schema, they are decoded into a dictionary and validated.
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
    """Return a message about invalid arguments for the model that made the call.

    The decoder's own message does not list an enum's allowed values or the other parameters. Both
    are added, because a model needs them to correct its call.

    Args:
        error: The decoder's error, such as ``Invalid enum value 'x' - at `$.unit` ``.
        schema: The JSON Schema of the tool's arguments.
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
    """Return the part of a schema that describes the argument in a decoder's message.

    For example, a message that ends with ``at `$.points[...].x` `` leads to the schema of `x`.

    Args:
        schema: The JSON Schema of the tool's arguments.
        text: The message.
    """
    match = _ERROR_PATH.search(text)
    subschema = schema
    for step in _PATH_STEP.finditer(match[1]) if match else ():
        subschema = _resolve_subschema(subschema, schema)
        child = subschema.get("properties", {}).get(step[1]) if step[1] else subschema.get("items")
        subschema = child if isinstance(child, dict) else {}
    return _resolve_subschema(subschema, schema)


def _resolve_subschema(subschema: Json, schema: Json) -> Json:
    """Return the schema that a subschema references with `$ref`, or the subschema itself.

    For an optional type (`anyOf` with null), use the first alternative that is not null.
    """
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


def create_signature_decoder(
    parameters: Sequence[HandlerParameter], where: str
) -> Callable[[Raw | bytes], Any]:
    """Return a function that decodes call arguments according to a handler's type hints.

    The function returns a Struct whose fields are the handler's parameters.

    Raises:
        DefinitionError: msgspec does not support a type or default.
    """
    fields = [
        (parameter.name, parameter.type_hint, *_to_field_default(parameter.default))
        for parameter in parameters
    ]
    decode = _create_fields_decoder(fields, where)
    if needs_dataclass_defaults([parameter.type_hint for parameter in parameters]):
        return lambda raw: fill_dataclass_defaults(decode(raw))
    return decode


def create_struct_decoder(
    struct: type[msgspec.Struct], where: str
) -> Callable[[Raw | bytes], msgspec.Struct]:
    """Return a function that decodes call arguments into a Struct.

    Args:
        struct: The class that the tool declares for its arguments.
        where: The tool's name, for error messages.

    Raises:
        DefinitionError: msgspec does not support the type of a field.
    """
    with _convert_type_errors(where):
        return msgspec.json.Decoder(struct, dec_hook=decode_hook).decode


def create_parameter_decoder(
    parameters: Sequence[Parameter], where: str
) -> Callable[[Raw | bytes], dict[str, Any]]:
    """Return a function that decodes arguments that a tool declares as a list of `Parameter`s.

    The function returns a dictionary of arguments by parameter name. It leaves out optional
    arguments that the call does not contain, unless they have a default.

    Raises:
        DefinitionError: msgspec does not support a default.
    """
    fields: list[Any] = []
    json_names: dict[str, str] = {}
    for index, parameter in enumerate(parameters):
        # The fields of a Struct must be Python identifiers, but a parameter may have any name. The
        # fields are therefore numbered, and renamed for JSON.
        field = f"parameter_{index}"
        json_names[field] = parameter.name
        type_hint = _JSON_TYPES[parameter.type]
        if parameter.default is not NO_DEFAULT:
            fields.append((field, type_hint, *_to_field_default(parameter.default)))
        elif parameter.required:
            fields.append((field, type_hint))
        else:
            # UNSET distinguishes an omitted argument from one that is null.
            fields.append((field, type_hint | msgspec.UnsetType, UNSET))
    decode = _create_fields_decoder(fields, where, json_names)

    def decode_to_dictionary(raw: Raw | bytes) -> dict[str, Any]:
        arguments = zip(json_names.values(), msgspec.structs.astuple(decode(raw)), strict=True)
        return {name: value for name, value in arguments if value is not UNSET}

    return decode_to_dictionary


def create_schema_decoder(schema: Json, where: str) -> Callable[[Raw | bytes], dict[str, Any]]:
    """Return a function that decodes the arguments of a tool that declares a JSON Schema.

    The function adds the schema's defaults, and raises a `msgspec.ValidationError` if the arguments
    do not match the schema.
    """
    validator = SchemaValidator(schema, where)

    def decode_and_validate(raw: Raw | bytes) -> dict[str, Any]:
        arguments = validator.fill_defaults(_decode_object(raw))
        violation = validator.find_error(arguments)
        if violation is not None:
            raise msgspec.ValidationError(violation)
        return arguments

    return decode_and_validate


def build_parameter_schema(parameters: Sequence[Parameter], dialect: str) -> Json:
    """Return the JSON Schema for the arguments of a tool that declares a list of `Parameter`s.

    Args:
        parameters: The parameters of the tool.
        dialect: The URI of the JSON Schema version, used as `$schema`.
    """
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
    """Return the JSON Schema of one parameter, as in `{"type": "string", "description": …}`."""
    property_schema: Json = {"type": parameter.type, "description": parameter.description}
    if parameter.default is not NO_DEFAULT:
        property_schema["default"] = parameter.default
    if parameter.header is not None:
        property_schema["x-mcp-header"] = parameter.header
    return property_schema


def _to_field_default(default: object) -> tuple[Any, ...]:
    """Return the end of a field definition for `msgspec.defstruct`: the default in a tuple.

    The tuple is empty if the field is required.
    """
    if default is NO_DEFAULT:
        return ()
    if not _is_mutable_default(default):
        return (default,)
    # Each call gets its own copy. Otherwise a handler could change the default for later calls.
    return (msgspec.field(default_factory=lambda: deepcopy(default)),)


def _is_mutable_default(default: object) -> bool:
    # Other objects, such as sentinels, are compared by identity and must not be copied.
    if isinstance(default, list | dict | set | bytearray):
        return True
    return any(hasattr(type(default), attribute) for attribute in _MODEL_ATTRIBUTES)


def _create_fields_decoder(
    fields: list[Any], where: str, json_names: dict[str, str] | None = None
) -> Callable[[Raw | bytes], Any]:
    """Return a function that decodes a JSON object into a new Struct class with these fields.

    Args:
        fields: The fields as for `msgspec.defstruct`, such as `("unit", str, "kg")`.
        where: The tool's name, for error messages.
        json_names: The JSON names of the fields, by field name, if they differ.

    Raises:
        DefinitionError: msgspec does not support a type or default.
    """
    with _convert_type_errors(where):
        # Unknown fields are forbidden. Otherwise a misspelled optional argument would be silently
        # ignored.
        struct = msgspec.defstruct(
            "Arguments", fields, forbid_unknown_fields=True, kw_only=True, rename=json_names
        )
        return msgspec.json.Decoder(struct, dec_hook=decode_hook).decode


@contextmanager
def _convert_type_errors(where: str) -> Iterator[None]:
    """Convert errors that msgspec raises for unsupported types or defaults to `DefinitionError`."""
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
    """Return call arguments, correcting two harmless mistakes that known clients make.

    Some clients send null instead of an empty object. Some write integers as 5.0, which JSON Schema
    accepts as an integer but msgspec does not. Arguments that are not JSON are returned unchanged.
    """
    if not isinstance(raw, Raw):
        return EMPTY_ARGUMENTS
    try:
        arguments = _decode_any(raw)
    except DECODE_ERRORS:
        return raw
    if arguments is None:
        return EMPTY_ARGUMENTS
    return msgspec.json.encode(_convert_integral_floats(arguments))


def coerce_strings(raw: Raw | bytes, schema: Json) -> Raw | bytes:
    """Return call arguments, with strings converted to the types that the schema requires.

    For example, `{"count": "3"}` becomes `{"count": 3}`. Used for tools declared as `lenient`,
    because some clients send numbers and booleans as strings. An optional argument that is null is
    removed if it does not accept null. A string that cannot be converted is kept, so that
    validation reports it.
    """
    try:
        arguments = _decode_object(raw)
    except DECODE_ERRORS:
        return raw
    properties, required = schema.get("properties", {}), schema.get("required", ())
    converted = {}
    for name, value in arguments.items():
        types = find_accepted_types(properties.get(name), schema)
        # Null for an optional argument means that it is omitted.
        if value is None and types and "null" not in types and name not in required:
            continue
        converted[name] = _coerce_string(value, types) if isinstance(value, str) else value
    return msgspec.json.encode(converted)


def _coerce_string(text: str, types: set[str]) -> object:
    """Return the boolean or number in a string, or the string itself if neither is accepted.

    Args:
        text: An argument such as `"true"` or `"3"`.
        types: The JSON types that the argument may have. If `string` is one of them, or if the
            string contains no value of these types, it is returned unchanged.
    """
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
    """Return JSON data with integral floats such as `5.0` converted to integers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_convert_integral_floats(item) for item in value]
    if isinstance(value, dict):
        return {key: _convert_integral_floats(item) for key, item in value.items()}
    return value
