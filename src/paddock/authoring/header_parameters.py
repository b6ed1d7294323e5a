"""Arguments of tools that HTTP clients repeat in headers (`x-mcp-header`).

A parameter is annotated in its schema; whoever routes requests can then read it without reading
the body. The two must not differ, so each call is checked before its handler runs.
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
"""Keywords whose values are data, in which a member of that name means nothing."""
MAX_NUMBER_CHARACTERS = 40
_HEADER_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")


class HeaderParameter(NamedTuple):
    """An argument and the header that repeats it."""

    header: str
    path: tuple[str, ...]
    type: str


def find_header_parameters(schema: Json, where: str) -> tuple[HeaderParameter, ...]:
    """The arguments that clients must mirror.

    Raises:
        DefinitionError: when an annotation is not allowed where it stands, or is no header name.
    """
    found = tuple(_iter_header_parameters(schema, (), where))
    if len(found) < _count_annotations(schema):
        raise DefinitionError(
            f"{HEADER_ANNOTATION} stands where no header can mirror it",
            where=where,
            hint="only on properties of the arguments and of objects in them",
        )
    names = [mirror.header.lower() for mirror in found]
    if len(set(names)) < len(names):
        raise DefinitionError(f"{HEADER_ANNOTATION} names one header twice", where=where)
    return found


def check_mirrored_headers(
    mirrors: Sequence[HeaderParameter], arguments: object, exchange: RequestExchange
) -> None:
    """Refuse a call whose headers do not say what its arguments say.

    Raises:
        HeaderMismatchError: saying which header.
    """
    given = msgspec.json.decode(arguments) if isinstance(arguments, Raw) else {}
    for mirror in mirrors:
        _check_header(mirror, _get_argument(given, mirror.path), exchange.get_header(mirror.header))


def _iter_header_parameters(
    schema: Json, path: tuple[str, ...], where: str
) -> Iterator[HeaderParameter]:
    properties = schema.get("properties")
    for name, field in properties.items() if isinstance(properties, dict) else ():
        if not isinstance(field, dict):
            continue
        here = (*path, name)
        if HEADER_ANNOTATION in field:
            yield _create_header_parameter(field, here, where)
        yield from _iter_header_parameters(field, here, where)


def _create_header_parameter(field: Json, path: tuple[str, ...], where: str) -> HeaderParameter:
    name, kind = field[HEADER_ANNOTATION], field.get("type")
    if not isinstance(name, str) or not _HEADER_TOKEN.fullmatch(name):
        raise DefinitionError(f"{HEADER_ANNOTATION} {name!r} is no name of a header", where=where)
    if kind not in HEADER_TYPES:
        raise DefinitionError(
            f"{'.'.join(path)} has type {kind!r} and cannot be mirrored in a header",
            where=where,
            hint=f"possible are {', '.join(HEADER_TYPES)}",
        )
    return HeaderParameter(HEADER_PREFIX + name, path, kind)


def _count_annotations(node: object) -> int:
    """How many annotations a schema has anywhere."""
    if isinstance(node, list):
        return sum(_count_annotations(item) for item in node)
    if not isinstance(node, dict):
        return 0
    count = 0
    for key, value in node.items():
        if key == "properties" and isinstance(value, dict):
            # Its keys are names of arguments, of which one may be called like the annotation.
            count += sum(_count_annotations(field) for field in value.values())
        elif key == HEADER_ANNOTATION:
            count += 1
        elif key not in DATA_KEYWORDS:
            count += _count_annotations(value)
    return count


def _get_argument(arguments: object, path: tuple[str, ...]) -> object:
    for name in path:
        arguments = arguments.get(name) if isinstance(arguments, dict) else None
    return arguments


def _check_header(mirror: HeaderParameter, value: object, header: str | None) -> None:
    name = mirror.header
    if header is None:
        if value is not None:
            raise HeaderMismatchError(
                f"{name} is missing, but the body has {_describe_argument(mirror)}"
            )
        return
    said = decode_header_value(header, name)
    if value is None:
        raise HeaderMismatchError(
            f"{name} is there, but the body has no {_describe_argument(mirror)}"
        )
    if not _is_same_value(said, value):
        raise HeaderMismatchError(
            f"{name} is {said!r:.80}, but {_describe_argument(mirror)} is {value!r:.80}"
        )


def _is_same_value(said: str, value: object) -> bool:
    if isinstance(value, bool):
        return said == ("true" if value else "false")
    if isinstance(value, int | float):
        return _is_same_number(said, value)
    return said == value


def _is_same_number(said: str, value: float) -> bool:
    if len(said) > MAX_NUMBER_CHARACTERS or not _NUMBER.fullmatch(said):
        return False
    try:
        return Decimal(said) == Decimal(value)
    except (InvalidOperation, OverflowError):
        return False


def _describe_argument(mirror: HeaderParameter) -> str:
    return f"the argument {'.'.join(mirror.path)}"
