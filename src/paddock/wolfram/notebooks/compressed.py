"""`CompressedData["1:…"]`: numbers that a notebook keeps in a packed form.

The text is base64 of zlib of a stream of typed values. Only what pictures are made of is read:
lists, numbers, strings and packed arrays of numbers.
"""

from __future__ import annotations

import base64
import binascii
import struct
import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_MARK = b"!boR"
_MOST_BYTES = 64 * 1024 * 1024
_MOST_LEVELS = 8


class PackedError(Exception):
    """Packed data cannot be read."""


def unpack(text: str) -> object:
    """The value: nested lists, numbers and strings.

    Raises:
        PackedError: when it is damaged, too large, or of another kind.
    """
    version, _, data = text.strip().partition(":")
    if version != "1":
        raise PackedError
    try:
        stream = zlib.decompressobj()
        raw = stream.decompress(base64.b64decode("".join(data.split())), _MOST_BYTES)
        if not raw.startswith(_MARK) or stream.unconsumed_tail:
            raise PackedError
        return _Stream(raw).value(0)
    except (binascii.Error, zlib.error, struct.error, ValueError, KeyError) as error:
        raise PackedError from error


class _Stream:
    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._at = len(_MARK)

    def value(self, level: int) -> object:
        kind = self._take(1)
        if level > _MOST_LEVELS:
            raise PackedError
        if kind == b"f":
            count = self._integer()
            head = self.value(level + 1)
            items = [self.value(level + 1) for _ in range(count)]
            return items if head == "List" else [head, *items]
        return _KINDS[kind](self)

    def _take(self, size: int) -> bytes:
        found = self._raw[self._at : self._at + size]
        if size < 0 or len(found) < size:
            raise PackedError
        self._at += size
        return found

    def _integer(self) -> int:
        value: int = struct.unpack("<i", self._take(4))[0]
        return value

    def integer(self) -> object:
        return self._integer()

    def real(self) -> object:
        return struct.unpack("<d", self._take(8))[0]

    def text(self) -> object:
        return self._take(self._integer()).decode("utf-8", "replace")

    def digits(self) -> object:
        return int(self._take(self._integer()))

    def array(self) -> object:
        """Reals in a row, to be divided by the lengths of the dimensions."""
        lengths = [self._integer() for _ in range(self._integer())]
        size = 1
        for length in lengths:
            size *= length
        if size > _MOST_BYTES // 8 or size < 0:
            raise PackedError
        values: list[object] = list(struct.unpack(f"<{size}d", self._take(8 * size)))
        for length in reversed(lengths[1:]):
            values = [values[at : at + length] for at in range(0, len(values), length)]
        return values


_KINDS: dict[bytes, Callable[[_Stream], object]] = {
    b"i": _Stream.integer,
    b"r": _Stream.real,
    b"s": _Stream.text,
    b"S": _Stream.text,
    b"I": _Stream.digits,
    b"e": _Stream.array,
}
