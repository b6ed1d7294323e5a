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
from paddock.protocol.header_values import decode_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paddock.protocol.request import Exchange

Json = dict[str, Any]

ANNOTATION = "x-mcp-header"
PREFIX = "Mcp-Param-"
TYPES = ("string", "integer", "boolean")
DATA = frozenset({"const", "default", "enum", "examples"})
"""Keywords whose values are data, in which a member of that name means nothing."""
MAX_NUMBER = 40
_TOKEN = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")


class Mirror(NamedTuple):
    """An argument and the header that repeats it."""

    header: str
    path: tuple[str, ...]
    type: str


def mirrors_of(schema: Json, where: str) -> tuple[Mirror, ...]:
    """The arguments that clients must mirror.

    Raises:
        DefinitionError: when an annotation is not allowed where it stands, or is no header name.
    """
    found = tuple(_found(schema, (), where))
    if len(found) < _count(schema):
        raise DefinitionError(
            f"{ANNOTATION} stands where no header can mirror it",
            where=where,
            hint="only on properties of the arguments and of objects in them",
        )
    names = [mirror.header.lower() for mirror in found]
    if len(set(names)) < len(names):
        raise DefinitionError(f"{ANNOTATION} names one header twice", where=where)
    return found


def check_arguments(mirrors: Sequence[Mirror], arguments: object, exchange: Exchange) -> None:
    """Refuse a call whose headers do not say what its arguments say.

    Raises:
        HeaderMismatchError: saying which header.
    """
    given = msgspec.json.decode(arguments) if isinstance(arguments, Raw) else {}
    for mirror in mirrors:
        _check(mirror, _value(given, mirror.path), exchange.header(mirror.header))


def _found(schema: Json, path: tuple[str, ...], where: str) -> Iterator[Mirror]:
    properties = schema.get("properties")
    for name, field in properties.items() if isinstance(properties, dict) else ():
        if not isinstance(field, dict):
            continue
        here = (*path, name)
        if ANNOTATION in field:
            yield _mirror(field, here, where)
        yield from _found(field, here, where)


def _mirror(field: Json, path: tuple[str, ...], where: str) -> Mirror:
    name, kind = field[ANNOTATION], field.get("type")
    if not isinstance(name, str) or not _TOKEN.fullmatch(name):
        raise DefinitionError(f"{ANNOTATION} {name!r} is no name of a header", where=where)
    if kind not in TYPES:
        raise DefinitionError(
            f"{'.'.join(path)} has type {kind!r} and cannot be mirrored in a header",
            where=where,
            hint=f"possible are {', '.join(TYPES)}",
        )
    return Mirror(PREFIX + name, path, kind)


def _count(node: object) -> int:
    """How many annotations a schema has anywhere."""
    if isinstance(node, list):
        return sum(_count(item) for item in node)
    if not isinstance(node, dict):
        return 0
    count = 0
    for key, value in node.items():
        if key == "properties" and isinstance(value, dict):
            # Its keys are names of arguments, of which one may be called like the annotation.
            count += sum(_count(field) for field in value.values())
        elif key == ANNOTATION:
            count += 1
        elif key not in DATA:
            count += _count(value)
    return count


def _value(arguments: object, path: tuple[str, ...]) -> object:
    for name in path:
        arguments = arguments.get(name) if isinstance(arguments, dict) else None
    return arguments


def _check(mirror: Mirror, value: object, header: str | None) -> None:
    name = mirror.header
    if header is None:
        if value is not None:
            raise HeaderMismatchError(f"{name} is missing, but the body has {_shown(mirror)}")
        return
    said = decode_value(header, name)
    if value is None:
        raise HeaderMismatchError(f"{name} is there, but the body has no {_shown(mirror)}")
    if not _is_same(said, value):
        raise HeaderMismatchError(f"{name} is {said!r:.80}, but {_shown(mirror)} is {value!r:.80}")


def _is_same(said: str, value: object) -> bool:
    if isinstance(value, bool):
        return said == ("true" if value else "false")
    if isinstance(value, int | float):
        return _is_same_number(said, value)
    return said == value


def _is_same_number(said: str, value: float) -> bool:
    if len(said) > MAX_NUMBER or not _NUMBER.fullmatch(said):
        return False
    try:
        return Decimal(said) == Decimal(value)
    except (InvalidOperation, OverflowError):
        return False


def _shown(mirror: Mirror) -> str:
    return f"the argument {'.'.join(mirror.path)}"
