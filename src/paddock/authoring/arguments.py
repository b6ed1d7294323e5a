"""Telling a model what is wrong with the arguments of a call, and what was expected instead.

Reading a call's arguments: checked, converted, and with defaults for what is absent.

Three ways to say what a tool takes, three readers: type hints (a Struct made of them), a list of
`Parameter`s (a Struct too, given on as a dictionary), a raw JSON Schema (validated as it is).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import UNSET, Raw

from paddock.authoring.schema_validator import SchemaValidator
from paddock.authoring.tool import NO_DEFAULT
from paddock.authoring.type_hooks import (
    decode_hook,
    fill_dataclass_defaults,
    needs_dataclass_defaults,
)
from paddock.errors import DefinitionError
from paddock.protocol.jsonrpc import DECODE_ERRORS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.authoring.signature import HandlerParameter
    from paddock.authoring.tool import Parameter


Json = dict[str, Any]

_ERROR_PATH = re.compile(r"- at `\$(.*)`$")
_PATH_STEP = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")


def explain_error(fault: Exception, schema: Json) -> str:
    """What a decoder says about wrong arguments, with the choices or the parameters there are."""
    text = str(fault)
    if text.startswith("Invalid enum value"):
        choices = _find_subschema(schema, text).get("enum")
        if choices:
            text += f", expected one of {', '.join(map(repr, choices))}"
    names = schema.get("properties")
    known = ", ".join(names) if isinstance(names, dict) and names else "none"
    return f"{text}. Parameters: {known}."


def get_error_path(fault: Exception) -> str:
    """Where in the arguments it is that a decoder complains about, as in `$.items[0]`."""
    found = _ERROR_PATH.search(str(fault))
    return f"${found[1]}" if found else ""


def _find_subschema(schema: Json, text: str) -> Json:
    """The part of a schema that describes the place a decoder complains about."""
    found = _ERROR_PATH.search(text)
    place = schema
    for step in _PATH_STEP.finditer(found[1]) if found else ():
        place = _resolve_subschema(place, schema)
        inner = place.get("properties", {}).get(step[1]) if step[1] else place.get("items")
        place = inner if isinstance(inner, dict) else {}
    return _resolve_subschema(place, schema)


def _resolve_subschema(place: Json, schema: Json) -> Json:
    for option in place.get("anyOf", ()):
        if isinstance(option, dict) and option.get("type") != "null":
            place = option
            break
    reference = place.get("$ref")
    if isinstance(reference, str):
        target = schema.get("$defs", {}).get(reference.rpartition("/")[2])
        return target if isinstance(target, dict) else {}
    return place


ArgumentReader = "Callable[[Raw | bytes], Any]"

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
    "__struct_fields__",
    "__dataclass_fields__",
    "__attrs_attrs__",
    "__pydantic_fields__",
)
_BOOLEAN_WORDS = {"true": True, "yes": True, "false": False, "no": False}
_decode_any = msgspec.json.Decoder().decode
_decode_object = msgspec.json.Decoder(dict[str, Any]).decode


EMPTY_ARGUMENTS = Raw(b"{}")


def create_typed_reader(
    parameters: Sequence[HandlerParameter], where: str
) -> Callable[[Raw | bytes], Any]:
    """Reads arguments into a Struct made of a function's own parameters."""
    fields = [
        (taken.name, taken.type_hint, *_to_field_default(taken.default)) for taken in parameters
    ]
    read = _create_struct_reader(fields, where)
    if needs_dataclass_defaults([taken.type_hint for taken in parameters]):
        return lambda raw: fill_dataclass_defaults(read(raw))
    return read


def create_parameter_reader(
    parameters: Sequence[Parameter], where: str
) -> Callable[[Raw | bytes], dict[str, Any]]:
    """Reads arguments into a dictionary, as a list of `Parameter`s declares them."""
    fields: list[Any] = []
    names = [parameter.name for parameter in parameters]
    for index, parameter in enumerate(parameters):
        hint, field = _JSON_TYPES[parameter.type], f"parameter_{index}"
        if parameter.default is not NO_DEFAULT:
            fields.append((field, hint, *_to_field_default(parameter.default)))
        elif parameter.required:
            fields.append((field, hint))
        else:
            fields.append((field, hint | msgspec.UnsetType, UNSET))
    # A parameter may have a name that no field of a Struct can have.
    read = _create_struct_reader(
        fields, where, dict(zip([field[0] for field in fields], names, strict=True))
    )

    def read_dictionary(raw: Raw | bytes) -> dict[str, Any]:
        values = zip(names, msgspec.structs.astuple(read(raw)), strict=True)
        return {name: value for name, value in values if value is not UNSET}

    return read_dictionary


def create_schema_reader(schema: Json, where: str) -> Callable[[Raw | bytes], dict[str, Any]]:
    """Reads arguments into a dictionary that a raw JSON Schema allows."""
    validator = SchemaValidator(schema, where)

    def read(raw: Raw | bytes) -> dict[str, Any]:
        arguments = validator.fill_defaults(_decode_object(raw))
        fault = validator.find_error(arguments)
        if fault is not None:
            raise msgspec.ValidationError(fault)
        return arguments

    return read


def build_parameter_schema(parameters: Sequence[Parameter], dialect: str) -> Json:
    """The JSON Schema of a list of `Parameter`s."""
    return {
        "$schema": dialect,
        "type": "object",
        "properties": {parameter.name: _build_property(parameter) for parameter in parameters},
        "required": [
            parameter.name for parameter in parameters if _is_required_parameter(parameter)
        ],
        "additionalProperties": False,
    }


def _is_required_parameter(parameter: Parameter) -> bool:
    return parameter.required and parameter.default is NO_DEFAULT


def _build_property(parameter: Parameter) -> Json:
    found: Json = {"type": parameter.type, "description": parameter.description}
    if parameter.default is not NO_DEFAULT:
        found["default"] = parameter.default
    if parameter.header is not None:
        found["x-mcp-header"] = parameter.header
    return found


def _to_field_default(default: object) -> tuple[Any, ...]:
    if default is NO_DEFAULT:
        return ()
    if not _is_mutable_default(default):
        return (default,)
    from copy import deepcopy  # noqa: PLC0415 - 2 ms, for defaults that can be changed

    return (msgspec.field(default_factory=lambda: deepcopy(default)),)


def _is_mutable_default(default: object) -> bool:
    # Anything else, such as a sentinel, must stay the object that it is.
    if isinstance(default, list | dict | set | bytearray):
        return True
    return any(hasattr(type(default), mark) for mark in _MODEL_ATTRIBUTES)


def _create_struct_reader(
    fields: list[Any], where: str, rename: dict[str, str] | None = None
) -> Callable[[Raw | bytes], Any]:
    try:
        struct = msgspec.defstruct(
            "Arguments", fields, forbid_unknown_fields=True, kw_only=True, rename=rename
        )
        decode = msgspec.json.Decoder(struct, dec_hook=decode_hook).decode
    except (TypeError, ValueError) as error:
        raise DefinitionError(
            str(error).splitlines()[0], where=where, hint="check the parameters' types"
        ) from None

    return decode


def is_json_object(raw: object) -> bool:
    """Whether arguments are at least a JSON object, as the protocol demands."""
    return not isinstance(raw, Raw) or bytes(raw)[:1] == b"{"


def repair_arguments(raw: object) -> Raw | bytes:
    """Arguments put into the form they should have had.

    Some clients send null where there are none. In JSON Schema 5.0 is an integer, and some
    clients write it so.
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
    """Arguments with texts read as the numbers and truth values that a schema wants there.

    Null for what need not be given, and cannot be null, means that it is not given.
    """
    try:
        arguments = _decode_object(raw)
    except DECODE_ERRORS:
        return raw
    properties, required = schema.get("properties", {}), schema.get("required", ())
    found = {}
    for name, value in arguments.items():
        types = _get_json_types(properties.get(name, {}))
        if value is None and types and "null" not in types and name not in required:
            continue
        found[name] = _coerce_string(value, types) if isinstance(value, str) else value
    return msgspec.json.encode(found)


def _get_json_types(schema: Json) -> set[str]:
    """The JSON types that a value may have."""
    found = schema.get("type", [])
    types = {found} if isinstance(found, str) else set(found)
    return types.union(*(_get_json_types(option) for option in schema.get("anyOf", ())))


def _coerce_string(text: str, types: set[str]) -> object:
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
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [_convert_integral_floats(item) for item in value]
    if isinstance(value, dict):
        return {key: _convert_integral_floats(item) for key, item in value.items()}
    return value
