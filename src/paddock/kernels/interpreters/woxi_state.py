"""The definitions of a woxi session as data, and back.

Small definitions are code. woxi reads a long list as code at some 300 kB/s, so that long values are
kept as WXF where woxi gets the same value back from it. Values that woxi has no text for (plots,
pictures, sounds) are left out.
"""

from __future__ import annotations

import base64
import contextlib
import re
import tempfile
from pathlib import Path

import msgspec
import woxi

OPAQUE = re.compile(r"-(?:Graphics|Graphics3D|Image|Sound|Video)-")
"""How woxi writes values that have no text."""
_BETWEEN = "\n \n"
_VALUE = re.compile(r"([$\w`]+) = ")
_LONG = 2000


class Definitions(msgspec.Struct):
    """What is kept."""

    code: list[str]
    values: dict[str, bytes]


def save_definitions() -> bytes:
    """All definitions of this thread's session."""
    names = woxi.evaluate('StringRiffle[Names["Global`*"], ","]').result
    found = Definitions([], {})
    for definition in _saved(names) if names else ():
        value = _VALUE.match(definition) if len(definition) > _LONG else None
        data = _as_data(value[1]) if value else None
        if value and data is not None:
            found.values[value[1]] = data
        elif not OPAQUE.search(definition):
            found.code.append(definition)
    return msgspec.msgpack.encode(found)


def load_definitions(data: bytes) -> None:
    """Define everything; what cannot be defined is left out, for the rest is worth having."""
    found = msgspec.msgpack.decode(data, type=Definitions)
    for definition in found.code:
        with contextlib.suppress(woxi.WolframError):
            woxi.evaluate(definition)
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory, "value.wxf")
        for name, value in found.values.items():
            place.write_bytes(value)
            read = f'BinaryDeserialize[ByteArray[BinaryReadList["{place.as_posix()}"]]]'
            with contextlib.suppress(woxi.WolframError):
                woxi.evaluate(f"{name} = {read};")


def _saved(names: str) -> list[str]:
    """What woxi writes into a file for symbols."""
    with tempfile.TemporaryDirectory() as directory:
        place = Path(directory, "definitions.wl")
        woxi.evaluate(f'Save["{place.as_posix()}", {{{names}}}]')
        text = place.read_text("utf-8")
    return [part for part in text.split(_BETWEEN) if part.strip()]


def _as_data(name: str) -> bytes | None:
    """The value of a symbol as WXF, if that is all of it."""
    data = f"BinarySerialize[{name}]"
    with contextlib.suppress(woxi.WolframError, ValueError):
        if woxi.evaluate(f"BinaryDeserialize[{data}] === {name}").result == "True":
            return base64.b64decode(woxi.evaluate(f"BaseEncode[{data}]").result, validate=True)
    return None
