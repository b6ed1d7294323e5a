"""Tool arguments that HTTP clients mirror in headers (`x-mcp-header`).

Proxies can route by such a header without parsing the body. A header that differs from the body
would bypass a proxy's decision, so they are compared before the handler runs.
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
"""Keywords whose values are data, in which a member named like the annotation has no meaning."""
MAX_NUMBER_CHARACTERS = 40
# The patterns are compiled when they are needed first, because few tools have such arguments.
_HEADER_NAME = r"[A-Za-z0-9!#$%&'*+.^_`|~-]+"
_NUMBER = r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?"


class HeaderParameter(NamedTuple):
    """An argument and the header that mirrors it."""

    header: str
    path: tuple[str, ...]
    type: str


def find_header_parameters(schema: Json, where: str) -> tuple[HeaderParameter, ...]:
    """Return the arguments that clients must mirror in headers.

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
    """Compare the mirrored headers of a call with its arguments.

    Raises:
        HeaderMismatchError: A header is missing, superfluous or different.
    """
    arguments = msgspec.json.decode(raw_arguments) if isinstance(raw_arguments, Raw) else {}
    for parameter in header_parameters:
        value = get_argument(arguments, parameter.path)
        _check_header(parameter, value, exchange.get_header(parameter.header))


def _iter_header_parameters(
    schema: Json, path: tuple[str, ...], where: str
) -> Iterator[HeaderParameter]:
    """Yield the annotated properties of a schema and of the objects nested in it.

    Args:
        schema: The schema of an object.
        path: The names of the properties that lead to the object.
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
    """Return the parameter for an annotated property, as in `{"x-mcp-header": "Tenant"}`."""
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
    """Return the number of annotations in a schema, including misplaced ones."""
    if isinstance(node, list):
        return sum(_count_annotations(item) for item in node)
    if not isinstance(node, dict):
        return 0
    count = 0
    for key, value in node.items():
        if key == "properties" and isinstance(value, dict):
            # The keys of "properties" are argument names, one of which may be the same word as
            # the annotation.
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
    """Check that a header has the value of its argument, or is missing if the argument is.

    Raises:
        HeaderMismatchError: Header and argument differ.
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
    """Return whether a header has the value of a number, which may be written differently."""
    # The length is limited because anyone can send the header, and parsing long numbers is slow.
    if len(header_value) > MAX_NUMBER_CHARACTERS or not re.fullmatch(_NUMBER, header_value):
        return False
    try:
        # For example, 1.0 in the header equals 1 in the body.
        return Decimal(header_value) == Decimal(value)
    except (InvalidOperation, OverflowError):
        return False


def _describe_argument(parameter: HeaderParameter) -> str:
    return f"the argument {'.'.join(parameter.path)}"
