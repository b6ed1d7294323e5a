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

_DATA_MARKER = b"!boR"
_MAX_UNPACKED_BYTES = 64 * 1024 * 1024
_MAX_NESTING_LEVELS = 8


class CompressedDataError(Exception):
    """Packed data cannot be read."""


def unpack_compressed_data(text: str) -> object:
    """The value: nested lists, numbers and strings.

    Raises:
        PackedError: when it is damaged, too large, or of another kind.
    """
    version, _, data = text.strip().partition(":")
    if version != "1":
        raise CompressedDataError
    try:
        stream = zlib.decompressobj()
        raw = stream.decompress(base64.b64decode("".join(data.split())), _MAX_UNPACKED_BYTES)
        if not raw.startswith(_DATA_MARKER) or stream.unconsumed_tail:
            raise CompressedDataError
        return _CompressedDataReader(raw).read_value(0)
    except (binascii.Error, zlib.error, struct.error, ValueError, KeyError) as error:
        raise CompressedDataError from error


class _CompressedDataReader:
    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._position = len(_DATA_MARKER)

    def read_value(self, level: int) -> object:
        kind = self._read_bytes(1)
        if level > _MAX_NESTING_LEVELS:
            raise CompressedDataError
        if kind == b"f":
            count = self._read_integer()
            head = self.read_value(level + 1)
            items = [self.read_value(level + 1) for _ in range(count)]
            return items if head == "List" else [head, *items]
        return _VALUE_READERS[kind](self)

    def _read_bytes(self, size: int) -> bytes:
        found = self._raw[self._position : self._position + size]
        if size < 0 or len(found) < size:
            raise CompressedDataError
        self._position += size
        return found

    def _read_integer(self) -> int:
        value: int = struct.unpack("<i", self._read_bytes(4))[0]
        return value

    def read_integer(self) -> object:
        return self._read_integer()

    def read_real(self) -> object:
        return struct.unpack("<d", self._read_bytes(8))[0]

    def read_text(self) -> object:
        return self._read_bytes(self._read_integer()).decode("utf-8", "replace")

    def read_digits(self) -> object:
        return int(self._read_bytes(self._read_integer()))

    def read_array(self) -> object:
        """Reals in a row, to be divided by the lengths of the dimensions."""
        lengths = [self._read_integer() for _ in range(self._read_integer())]
        size = 1
        for length in lengths:
            size *= length
        if size > _MAX_UNPACKED_BYTES // 8 or size < 0:
            raise CompressedDataError
        values: list[object] = list(struct.unpack(f"<{size}d", self._read_bytes(8 * size)))
        for length in reversed(lengths[1:]):
            values = [values[at : at + length] for at in range(0, len(values), length)]
        return values


_VALUE_READERS: dict[bytes, Callable[[_CompressedDataReader], object]] = {
    b"i": _CompressedDataReader.read_integer,
    b"r": _CompressedDataReader.read_real,
    b"s": _CompressedDataReader.read_text,
    b"S": _CompressedDataReader.read_text,
    b"I": _CompressedDataReader.read_digits,
    b"e": _CompressedDataReader.read_array,
}
