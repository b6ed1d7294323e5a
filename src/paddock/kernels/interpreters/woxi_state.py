"""The definitions of a woxi session as data, and back.

Values are as woxi tells them, definitions with patterns as the user wrote them
(`paddock.kernels.interpreters.woxi_definitions`). Small values are code. woxi reads a long list as
code at some 300 kB/s, so that long values are kept as WXF where woxi gets the same value back from
it. Values that woxi has no text for (plots, pictures, sounds) are left out.
"""

from __future__ import annotations

import base64
import contextlib
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import woxi

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.kernels.interpreters.woxi_definitions import WoxiDefinition

OPAQUE_VALUE = re.compile(r"-(?:Graphics|Graphics3D|Image|Sound|Video)-")
"""How woxi writes values that have no text."""
_DEFINITION_SEPARATOR = "\n \n"
_VALUE_DEFINITION = re.compile(r"([$\w`]+) = ")
_MAX_CODE_CHARACTERS = 2000
_DEFINING_SYNTAX = re.compile(
    r":=|Delayed|UpSet|TagSet|\^=|/:|=\.|Clear|Remove|Unset|Attributes|Options|::"
)


class WoxiSavedState(msgspec.Struct):
    """What is kept."""

    code: list[str]
    values: dict[str, bytes]
    written: list[str] = []


def may_define(code: str) -> bool:
    """Whether code may define what woxi does not tell, and so has to be kept."""
    return _DEFINING_SYNTAX.search(code) is not None


def dump_definitions(codes: Sequence[str]) -> bytes:
    """All definitions of this thread's session, after such code."""
    from paddock.kernels.interpreters.woxi_definitions import (  # noqa: PLC0415 - many kernels never save, and reading code takes time to load
        read_definitions,
    )

    kept, named = read_definitions(codes)
    kept = [each for each in kept if each.kind == "message" or _has_definition(each.symbol)]
    names = woxi.evaluate('StringRiffle[Names["Global`*"], ","]').result
    named |= {name for name in names.split(",") if name}
    named = {name for name in named if not _is_protected(name)}
    found = WoxiSavedState([], {}, [each.text for each in kept])
    for definition in _save_symbols(",".join(sorted(named))) if named else ():
        if _is_user_definition(definition, kept):
            continue
        value = _VALUE_DEFINITION.match(definition) if len(definition) > _MAX_CODE_CHARACTERS else None
        data = _serialize_value(value[1]) if value else None
        if value and data is not None:
            found.values[value[1]] = data
        elif not OPAQUE_VALUE.search(definition):
            found.code.append(definition)
    return msgspec.msgpack.encode(found)


def load_definitions(data: bytes) -> list[str]:
    """Define everything, and give the code of what was written by the user.

    What cannot be defined is left out, for the rest is worth having.
    """
    found = msgspec.msgpack.decode(data, type=WoxiSavedState)
    for definition in found.code:
        _evaluate_definition(definition)
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory, "value.wxf")
        for name, value in found.values.items():
            place.write_bytes(value)
            read = f'BinaryDeserialize[ByteArray[BinaryReadList["{place.as_posix()}"]]]'
            _evaluate_definition(f"{name} = {read};")
    for definition in found.written:
        _evaluate_definition(definition)
    return found.written


def _evaluate_definition(definition: str) -> None:
    with contextlib.suppress(woxi.WolframError):
        woxi.evaluate(definition)


def _has_definition(name: str) -> bool:
    """Whether a symbol still has a definition; the user may have cleared it."""
    kinds = ("OwnValues", "DownValues", "SubValues", "UpValues")
    lists = ", ".join(f"{kind}[{name}]" for kind in kinds)
    return woxi.evaluate(f"Join[{lists}] === {{}}").result != "True"


def _is_protected(name: str) -> bool:
    """Whether a symbol belongs to the engine, which lists some that it has added something to."""
    return woxi.evaluate(f"MemberQ[Attributes[{name}], Protected]").result == "True"


def _is_user_definition(definition: str, kept: list[WoxiDefinition]) -> bool:
    """Whether woxi tells a definition that is known better from what the user wrote."""
    left, mark, _ = definition.partition(" := ")
    is_delayed = bool(mark) and " = " not in left
    symbol = re.match(r"[$\w`]+", definition)
    kinds = {each.kind for each in kept if symbol and each.symbol == symbol[0]}
    return bool(kinds) if is_delayed else "own" in kinds and bool(_VALUE_DEFINITION.match(definition))


def _save_symbols(names: str) -> list[str]:
    """What woxi writes into a file for symbols."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory, "definitions.wl")
        woxi.evaluate(f'Save["{place.as_posix()}", {{{names}}}]')
        text = place.read_text("utf-8")
    return [part for part in text.split(_DEFINITION_SEPARATOR) if part.strip()]


def _serialize_value(name: str) -> bytes | None:
    """The value of a symbol as WXF, if that is all of it."""
    data = f"BinarySerialize[{name}]"
    with contextlib.suppress(woxi.WolframError, ValueError):
        if woxi.evaluate(f"BinaryDeserialize[{data}] === {name}").result == "True":
            return base64.b64decode(woxi.evaluate(f"BaseEncode[{data}]").result, validate=True)
    return None
