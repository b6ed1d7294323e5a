"""Tool arguments that HTTP clients mirror in headers (`x-mcp-header`).

Proxies can route requests by such a header without parsing the body. A header that differs from the
body would bypass a proxy's decision, so the two are compared before the handler runs.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec import Raw

from paddock.errors import DefinitionError
from paddock.protocol.errors import HeaderMismatchError
from paddock.protocol.http_headers import decode_header_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paddock.protocol.request import RequestExchange

Json = dict[str, Any]

HEADER_ANNOTATION = "x-mcp-header"
HEADER_PREFIX = "Mcp-Param-"
HEADER_TYPES = ("string", "integer", "boolean")
DATA_KEYWORDS = frozenset({"const", "default", "enum", "examples"})
"""Keywords whose values are data, where a key with the annotation's name has no meaning."""
MAX_NUMBER_CHARACTERS = 40
# The patterns are compiled on first use, because few tools have such arguments.
_HEADER_NAME = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
_NUMBER = r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?"


class HeaderParameter(NamedTuple):
    """An argument and the header that mirrors it."""

    header: str
    path: tuple[str, ...]
    type: str


def find_header_parameters(schema: Json, where: str) -> tuple[HeaderParameter, ...]:
    """Return the arguments of a tool that HTTP clients must also send as headers.

    The author marks them in the schema: a property with `{"x-mcp-header": "Tenant"}` is mirrored in
    the header `Mcp-Param-Tenant`.

    Args:
        schema: The JSON Schema of the tool's arguments.
        where: The tool's name, for error messages.

    Raises:
        DefinitionError: An annotation is misplaced, or its value is not a header name.
    """
    header_parameters = tuple(_iter_header_parameters(schema, (), where))
    if len(header_parameters) < _count_annotations(schema):
        raise DefinitionError(
            f"{HEADER_ANNOTATION} is used where no header can mirror it",
            where=where,
            hint="allowed only on properties of the arguments and of objects in them",
        )
    names = [parameter.header.lower() for parameter in header_parameters]
    if len(set(names)) < len(names):
        raise DefinitionError(f"{HEADER_ANNOTATION} uses the same header twice", where=where)
    return header_parameters


def check_mirrored_headers(
    header_parameters: Sequence[HeaderParameter], raw_arguments: object, exchange: RequestExchange
) -> None:
    """Check that the headers of an HTTP request have the same values as the arguments in its body.

    A proxy may have relied on a header, so a different value in the body would bypass its decision.

    Raises:
        HeaderMismatchError: A header is missing, unexpected or different.
    """
    arguments = msgspec.json.decode(raw_arguments) if isinstance(raw_arguments, Raw) else {}
    for parameter in header_parameters:
        value = get_argument(arguments, parameter.path)
        _check_header(parameter, value, exchange.get_header(parameter.header))


def _iter_header_parameters(
    schema: Json, path: tuple[str, ...], where: str
) -> Iterator[HeaderParameter]:
    """Yield the properties with an `x-mcp-header` annotation in a schema and its nested objects.

    Args:
        schema: The schema of an object.
        path: The property names that lead to the object.
        where: The tool's name, for error messages.
    """
    properties = schema.get("properties")
    for name, field in properties.items() if isinstance(properties, dict) else ():
        if not isinstance(field, dict):
            continue
        field_path = (*path, name)
        if HEADER_ANNOTATION in field:
            yield _create_header_parameter(field, field_path, where)
        yield from _iter_header_parameters(field, field_path, where)


def _create_header_parameter(field: Json, path: tuple[str, ...], where: str) -> HeaderParameter:
    """Return the header and the argument for a property with an `x-mcp-header` annotation.

    Args:
        field: The schema of the property, as in `{"type": "string", "x-mcp-header": "Tenant"}`.
        path: The property names that lead to it from the root of the arguments.
        where: The tool's name, for error messages.

    Raises:
        DefinitionError: The annotation is not a header name, or the type cannot be mirrored.
    """
    name, json_type = field[HEADER_ANNOTATION], field.get("type")
    if not isinstance(name, str) or not re.fullmatch(_HEADER_NAME, name):
        raise DefinitionError(f"{HEADER_ANNOTATION} {name!r} is not a header name", where=where)
    if json_type not in HEADER_TYPES:
        raise DefinitionError(
            f"{'.'.join(path)} has type {json_type!r} and cannot be mirrored in a header",
            where=where,
            hint=f"expected {', '.join(HEADER_TYPES)}",
        )
    return HeaderParameter(HEADER_PREFIX + name, path, json_type)


def _count_annotations(node: object) -> int:
    """Return the number of `x-mcp-header` annotations in a schema, including misplaced ones.

    If it is higher than the number of valid annotations, the caller reports an error.
    """
    if isinstance(node, list):
        return sum(_count_annotations(item) for item in node)
    if not isinstance(node, dict):
        return 0
    count = 0
    for key, value in node.items():
        if key == "properties" and isinstance(value, dict):
            # The keys of "properties" are argument names, which may include the annotation's name.
            count += sum(_count_annotations(field) for field in value.values())
        elif key == HEADER_ANNOTATION:
            count += 1
        elif key not in DATA_KEYWORDS:
            count += _count_annotations(value)
    return count


def get_argument(arguments: object, path: tuple[str, ...]) -> object:
    """Return the argument at a path such as `("filter", "tenant")`, or None if it is missing."""
    for name in path:
        arguments = arguments.get(name) if isinstance(arguments, dict) else None
    return arguments


def _check_header(parameter: HeaderParameter, value: object, header_text: str | None) -> None:
    """Check that a header and its argument have the same value, or that both are missing.

    Args:
        parameter: The header and the path of its argument.
        value: The argument in the body of the request, or None if it is missing.
        header_text: The header's value as sent, or None if it is missing.

    Raises:
        HeaderMismatchError: The header and the argument differ.
    """
    name = parameter.header
    if header_text is None:
        if value is not None:
            raise HeaderMismatchError(
                f"{name} is missing, but the body has {_describe_argument(parameter)}"
            )
        return
    header_value = decode_header_value(header_text, name)
    if value is None:
        raise HeaderMismatchError(
            f"{name} is present, but the body has no {_describe_argument(parameter)}"
        )
    if not _is_same_value(header_value, value):
        raise HeaderMismatchError(
            f"{name} is {header_value!r:.80}, but {_describe_argument(parameter)} is {value!r:.80}"
        )


def _is_same_value(header_value: str, value: object) -> bool:
    if isinstance(value, bool):
        return header_value == ("true" if value else "false")
    if isinstance(value, int | float):
        return _is_same_number(header_value, value)
    return header_value == value


def _is_same_number(header_value: str, value: float) -> bool:
    """Return whether a header's text is a number that equals an argument.

    The same number can be written in different ways: `1.0` in the header equals 1 in the body.
    """
    # The length is limited because anyone can send the header, and parsing long numbers is slow.
    if len(header_value) > MAX_NUMBER_CHARACTERS or not re.fullmatch(_NUMBER, header_value):
        return False
    try:
        return Decimal(header_value) == Decimal(value)
    except (InvalidOperation, OverflowError):
        return False


def _describe_argument(parameter: HeaderParameter) -> str:
    return f"the argument {'.'.join(parameter.path)}"
