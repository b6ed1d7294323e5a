"""Encoding and decoding of frames with the standard library alone.

The format is that of `paddock.kernels.worker.frames`: four bytes of length and a MessagePack
document. User code can control the process that uses this module. The checks of the content are
therefore in `frames`, on the side of the supervisor. Compatible with Python 3.8.
"""

from __future__ import annotations

import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LENGTH_PREFIX = struct.Struct("<I")
_READ_CHUNK_BYTES = 1 << 16
# MessagePack type bytes and the `struct` format of the number or length that follows.
_FORMATS_BY_CODE = {
    0xC4: ">B", 0xC5: ">H", 0xC6: ">I", 0xD9: ">B", 0xDA: ">H", 0xDB: ">I",
    0xDC: ">H", 0xDD: ">I", 0xDE: ">H", 0xDF: ">I",
    0xCA: ">f", 0xCB: ">d", 0xCC: ">B", 0xCD: ">H", 0xCE: ">I", 0xCF: ">Q",
    0xD0: ">b", 0xD1: ">h", 0xD2: ">i", 0xD3: ">q",
}  # fmt: skip
_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}


class PlainFrame:
    """A frame, with its type and all other fields as attributes."""

    def __init__(self, type: str, **fields: object) -> None:  # noqa: A002 - field name in the frame
        self.type = type
        self.__dict__.update(fields)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: object) -> None: ...


def encode_frame(frame: PlainFrame) -> bytes:
    """Encode a frame, including its length."""
    content = b"".join(_pack_value(vars(frame)))
    return _LENGTH_PREFIX.pack(len(content)) + content


def send_frame(handle: int, frame: PlainFrame) -> None:
    """Write a frame, blocking until all of it is written."""
    view = memoryview(encode_frame(frame))
    while view:
        view = view[os.write(handle, view) :]


class PlainFrameReader:
    """Decoder for the frames that arrive on a file descriptor."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self._buffer = bytearray()

    def read_one(self) -> PlainFrame:
        """Wait for one frame.

        Raises:
            EOFError: The other end was closed.
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
        """Decode the next frame of the buffer and remove it.

        Returns None if the frame is incomplete.
        """
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
    """Encode a value as MessagePack."""
    # Every length is written in its longest form. This keeps the code short, and frames are
    # short-lived.
    if isinstance(value, PlainFrame):
        value = vars(value)
    if isinstance(value, dict):
        parts = [b"\xdf", struct.pack(">I", len(value))]
        for name, item in value.items():
            parts += _pack_value(name) + _pack_value(item)
        return parts
    if isinstance(value, (list, tuple)):
        parts = [b"\xdd", struct.pack(">I", len(value))]
        for item in value:
            parts += _pack_value(item)
        return parts
    return _pack_scalar(value)


def _pack_scalar(value: object) -> list[bytes]:
    """Encode a value that is neither a list nor a dictionary."""
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
    raise TypeError(f"a frame cannot contain a value of type {type(value).__name__}")


def _unpack_value(data: bytes, offset: int) -> tuple[Any, int]:
    """Return the value at `offset`, and the offset after it."""
    code = data[offset]
    offset += 1
    if code < 0x80:
        return code, offset
    if code >= 0xE0:
        return code - 0x100, offset
    if code in _CONSTANTS:
        return _CONSTANTS[code], offset
    if code < 0xC0:
        # Short maps, arrays and strings have their length in the type byte.
        kind = ("map", "array", "str", "str")[(code >> 4) - 8]
        return _unpack_sized(data, offset, kind, code & (0x1F if code >= 0xA0 else 0x0F))
    number_format = _FORMATS_BY_CODE[code]
    (number,) = struct.unpack_from(number_format, data, offset)
    offset += struct.calcsize(number_format)
    if code <= 0xC6:
        return _unpack_sized(data, offset, "bytes", number)
    if code <= 0xD3:
        return number, offset
    kind = "str" if code <= 0xDB else "array" if code <= 0xDD else "map"
    return _unpack_sized(data, offset, kind, number)


def _unpack_sized(data: bytes, offset: int, kind: str, length: int) -> tuple[Any, int]:
    """Decode the content of a string, bytes, array or map whose length is known."""
    if kind in ("bytes", "str"):
        content = data[offset : offset + length]
        return (content if kind == "bytes" else content.decode()), offset + length
    items = []
    for _ in range(length if kind == "array" else 2 * length):
        item, offset = _unpack_value(data, offset)
        items.append(item)
    return (items if kind == "array" else dict(zip(items[::2], items[1::2]))), offset  # noqa: B905 - Python 3.8
