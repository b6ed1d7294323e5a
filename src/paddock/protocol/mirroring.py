"""Values of a request's body that its HTTP headers repeat, so that proxies need not read bodies.

A tool says with `x-mcp-header` which of its arguments are repeated. What is allowed there and how
a value is written is the same on both sides of a connection.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping

from msgspec import Struct

ANNOTATION = "x-mcp-header"
PARAMETER_PREFIX = "Mcp-Param-"
KINDS = ("string", "integer", "boolean")

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PLAIN = re.compile(r"[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?|")
_SENTINEL = re.compile(r"=\?base64\?.*\?=")

_SUBSCHEMAS = (
    *("additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"),
    *("unevaluatedItems", "unevaluatedProperties"),
)
_SUBSCHEMA_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_SUBSCHEMA_MAPS = ("$defs", "definitions", "dependentSchemas", "patternProperties")
MAX_DEPTH = 64


class MirroredParameter(Struct, frozen=True):
    """An argument of a tool that a header repeats."""

    path: tuple[str, ...]
    """The keys that lead to it from the arguments."""
    header: str


def mirrored_parameters(schema: Mapping[str, object]) -> list[MirroredParameter]:
    """The arguments that a tool's input schema wants repeated.

    Raises:
        ValueError: when an annotation is not allowed as it is.
    """
    found = list(_found(schema, (), 0))
    seen: set[str] = set()
    for parameter in found:
        name = parameter.header.lower()
        if name in seen:
            raise ValueError(f"{ANNOTATION} {parameter.header!r} is used twice")
        seen.add(name)
    return found


def mirrored_headers(
    parameters: list[MirroredParameter], arguments: Mapping[str, object]
) -> dict[str, str]:
    """The headers that repeat these arguments; what is absent or null has none."""
    headers = {}
    for parameter in parameters:
        text = _text(_at(parameter.path, arguments))
        if text is not None:
            headers[PARAMETER_PREFIX + parameter.header] = header_value(text)
    return headers


def header_value(text: str) -> str:
    """A text as the value of a header: as it is where it can be, in base64 where not."""
    if _PLAIN.fullmatch(text) and not _SENTINEL.fullmatch(text):
        return text
    return f"=?base64?{b64encode(text.encode(errors='replace')).decode()}?="


def _found(schema: object, path: tuple[str, ...], depth: int) -> Iterator[MirroredParameter]:
    if not isinstance(schema, Mapping):
        return
    if depth > MAX_DEPTH:
        raise ValueError(f"the schema is nested more than {MAX_DEPTH} levels deep")
    if ANNOTATION in schema:
        yield _parameter(schema, path)
    for inner in _elsewhere(schema):
        _refuse_annotations(inner, depth + 1)
    properties = schema.get("properties")
    for name, inner in properties.items() if isinstance(properties, Mapping) else ():
        yield from _found(inner, (*path, name), depth + 1)


def _parameter(schema: Mapping[str, object], path: tuple[str, ...]) -> MirroredParameter:
    header = schema[ANNOTATION]
    if not isinstance(header, str) or not _TOKEN.fullmatch(header):
        raise ValueError(f"{ANNOTATION} must be a name of a header, got {header!r:.60}")
    kind = schema.get("type")
    kinds = [one for one in kind if one != "null"] if isinstance(kind, list) else [kind]
    if not path or len(kinds) != 1 or kinds[0] not in KINDS:
        expected = ", ".join(KINDS)
        raise ValueError(f"{ANNOTATION} {header!r} is on type {kind!r:.60}, not one of {expected}")
    return MirroredParameter(path, header)


def _elsewhere(schema: Mapping[str, object]) -> Iterator[object]:
    """The schemas inside one that do not stand for one value at one place."""
    for key in _SUBSCHEMAS:
        yield schema.get(key)
    for key in _SUBSCHEMA_LISTS:
        inner = schema.get(key)
        yield from inner if isinstance(inner, list) else ()
    for key in _SUBSCHEMA_MAPS:
        inner = schema.get(key)
        yield from inner.values() if isinstance(inner, Mapping) else ()


def _refuse_annotations(schema: object, depth: int) -> None:
    for parameter in _found(schema, ("",), depth):
        header = parameter.header
        raise ValueError(f"{ANNOTATION} {header!r} is not on a property of the arguments")


def _at(path: tuple[str, ...], arguments: Mapping[str, object]) -> object:
    value: object = arguments
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def _text(value: object) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value) if isinstance(value, str | int) else None
