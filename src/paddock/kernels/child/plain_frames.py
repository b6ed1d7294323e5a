"""Frames as the processes that evaluate see them: with the standard library alone.

The same bytes as in `frames`: four bytes of length, then MessagePack. Those who are not trusted
write and read them here, those who do not trust check them there. Python 3.8 can read this module.
"""

from __future__ import annotations

import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LENGTH_PREFIX = struct.Struct("<I")
_READ_CHUNK_BYTES = 1 << 16
_FORMATS_BY_CODE = {
    0xC4: ">B", 0xC5: ">H", 0xC6: ">I", 0xD9: ">B", 0xDA: ">H", 0xDB: ">I",
    0xDC: ">H", 0xDD: ">I", 0xDE: ">H", 0xDF: ">I",
    0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
    0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}  # fmt: skip
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}


class PlainFrame:
    """One frame: its type, and its other fields as attributes."""

    def __init__(self, type: str, **fields: object) -> None:  # noqa: A002 - the name in the frame
        self.type = type
        self.__dict__.update(fields)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: object) -> None: ...


def encode_frame(frame: PlainFrame) -> bytes:
    """A frame as bytes, with its length."""
    content = b"".join(_pack_value(vars(frame)))
    return _LENGTH_PREFIX.pack(len(content)) + content


def send_frame(handle: int, frame: PlainFrame) -> None:
    """Write a whole frame, waiting while there is no room."""
    view = memoryview(encode_frame(frame))
    while view:
        view = view[os.write(handle, view) :]


class PlainFrameReader:
    """Frames that come in on a file descriptor."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self._buffer = bytearray()

    def read_one(self) -> PlainFrame:
        """Wait for one frame.

        Raises:
            EOFError: when nothing more will come.
        """
        while True:
            frame = self._pop_frame()
            if frame is not None:
                return frame
            chunk = os.read(self.handle, _READ_CHUNK_BYTES)
            if not chunk:
                raise EOFError
            self._buffer += chunk

    def _pop_frame(self) -> PlainFrame | None:
        if len(self._buffer) < _LENGTH_PREFIX.size:
            return None
        (length,) = _LENGTH_PREFIX.unpack_from(self._buffer)
        end = _LENGTH_PREFIX.size + length
        if len(self._buffer) < end:
            return None
        fields, _ = _unpack_value(bytes(self._buffer[_LENGTH_PREFIX.size : end]), 0)
        del self._buffer[:end]
        return PlainFrame(**fields)


def _pack_value(value: object) -> list[bytes]:
    if isinstance(value, PlainFrame):
        value = vars(value)
    if isinstance(value, dict):
        found = [b"\xdf", struct.pack(">I", len(value))]
        for name, each in value.items():
            found += _pack_value(name) + _pack_value(each)
        return found
    if isinstance(value, (list, tuple)):
        found = [b"\xdd", struct.pack(">I", len(value))]
        for each in value:
            found += _pack_value(each)
        return found
    return _pack_scalar(value)


def _pack_scalar(value: object) -> list[bytes]:
    if value is None:
        return [b"\xc0"]
    if isinstance(value, bool):
        return [b"\xc3" if value else b"\xc2"]
    if isinstance(value, int):
        return [b"\xd3", struct.pack(">q", value)]
    if isinstance(value, float):
        return [b"\xcb", struct.pack(">d", value)]
    if isinstance(value, str):
        data = value.encode("utf-8", "backslashreplace")
        return [b"\xdb", struct.pack(">I", len(data)), data]
    if isinstance(value, bytes):
        return [b"\xc6", struct.pack(">I", len(value)), value]
    raise TypeError(f"a frame cannot have a {type(value).__name__}")


def _unpack_value(data: bytes, place: int) -> tuple[Any, int]:
    """A value, and where it ends."""
    code = data[place]
    place += 1
    if code < 0x80:
        return code, place
    if code >= 0xE0:
        return code - 0x100, place
    if code in _CONSTANTS:
        return _CONSTANTS[code], place
    if code < 0xC0:
        kind, length = (
            ("map", "array", "str", "str")[(code >> 4) - 8],
            code & (0x1F if code >= 0xA0 else 0x0F),
        )
        return _unpack_sized(data, place, kind, length)
    form = _FORMATS_BY_CODE[code]
    (number,) = struct.unpack_from(form, data, place)
    place += struct.calcsize(form)
    if code <= 0xC6:
        return _unpack_sized(data, place, "bytes", number)
    if code <= 0xD3:
        return number, place
    kind = "str" if code <= 0xDB else "array" if code <= 0xDD else "map"
    return _unpack_sized(data, place, kind, number)


def _unpack_sized(data: bytes, place: int, kind: str, length: int) -> tuple[Any, int]:
    if kind in ("bytes", "str"):
        piece = data[place : place + length]
        return (piece if kind == "bytes" else piece.decode()), place + length
    items = []
    for _ in range(length if kind == "array" else 2 * length):
        item, place = _unpack_value(data, place)
        items.append(item)
    return (items if kind == "array" else dict(zip(items[::2], items[1::2]))), place  # noqa: B905 - Python 3.8
