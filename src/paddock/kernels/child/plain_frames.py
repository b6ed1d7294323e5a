"""Encoding and decoding of frames using only the standard library.

The formats are those of `paddock.kernels.worker.frames`. Received frames use the `marshal` format,
because they come from the server or its supervisor, which are trusted. Sent frames are MessagePack
documents: user code can control this process, so the supervisor validates them. Compatible with
Python 3.8.
"""

from __future__ import annotations

import marshal
import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LENGTH_PREFIX = struct.Struct("<I")
READ_CHUNK_BYTES = 1 << 16
MAX_FRAME_BYTES = 1 << 30
"""Longer frames are rejected as invalid."""


class PlainFrame:
    """A message between the supervisor and an evaluator process.

    All fields are attributes. `type` is always set.
    """

    def __init__(self, type: str, **fields: object) -> None:  # noqa: A002 - field name in the frame
        self.type = type
        self.__dict__.update(fields)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: object) -> None: ...


def send_frame(handle: int, frame: PlainFrame) -> None:
    """Write a message to the supervisor, blocking until all of it is written."""
    write_message(handle, b"".join(_pack_value(vars(frame))))


def write_message(handle: int, content: bytes) -> None:
    """Write an encoded message and its length, blocking until all of it is written."""
    view = memoryview(_LENGTH_PREFIX.pack(len(content)) + content)
    while view:
        view = view[os.write(handle, view) :]


class FrameSplitter:
    """Reader that splits the bytes arriving on a file descriptor into encoded messages.

    Each message is preceded by its length, a four-byte little-endian integer.
    """

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self._buffer = bytearray()

    def read_chunk(self) -> None:
        """Read some bytes into the buffer, blocking until at least one is available.

        Raises:
            EOFError: The other end was closed.
        """
        chunk = os.read(self.handle, READ_CHUNK_BYTES)
        if not chunk:
            raise EOFError
        self._buffer += chunk

    def pop_message(self) -> bytes | None:
        """Remove the next encoded message from the buffer and return it.

        If the message has not arrived completely, returns None and removes nothing.

        Raises:
            ValueError: The message is too long.
        """
        if len(self._buffer) < _LENGTH_PREFIX.size:
            return None
        (length,) = _LENGTH_PREFIX.unpack_from(self._buffer)
        # User code can write to the descriptor. A forged length must not exhaust the memory.
        if length > MAX_FRAME_BYTES:
            raise ValueError(f"frame of {length} bytes exceeds the maximum of {MAX_FRAME_BYTES}")
        end = _LENGTH_PREFIX.size + length
        if len(self._buffer) < end:
            return None
        content = bytes(self._buffer[_LENGTH_PREFIX.size : end])
        del self._buffer[:end]
        return content

    def clear(self) -> None:
        """Discard the bytes of an incomplete message."""
        self._buffer.clear()


class PlainFrameReader(FrameSplitter):
    """Reader for the server's requests and the supervisor's orders."""

    def read_frame(self) -> PlainFrame:
        """Wait until a complete message has arrived, and return it.

        Raises:
            EOFError: The other end was closed.
        """
        while True:
            content = self.pop_message()
            if content is not None:
                return PlainFrame(**marshal.loads(content))
            self.read_chunk()


def _pack_value(value: object) -> list[bytes]:
    """Encode a value as MessagePack and return the pieces of the encoding."""
    # Every length is written in MessagePack's longest format, 32 bits. This keeps the code short,
    # and the size does not matter because frames are not stored.
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
    """Encode a value that is neither a list nor a dictionary as MessagePack.

    The first byte of the encoding is the MessagePack type, such as `0xdb` for a string.

    Raises:
        TypeError: MessagePack has no type for the value.
    """
    if value is None:
        return [b"\xc0"]
    if isinstance(value, bool):
        return [b"\xc3" if value else b"\xc2"]
    if isinstance(value, int):
        return [b"\xd3", struct.pack(">q", value)]
    if isinstance(value, float):
        return [b"\xcb", struct.pack(">d", value)]
    if isinstance(value, str):
        encoded = value.encode("utf-8", "backslashreplace")
        return [b"\xdb", struct.pack(">I", len(encoded)), encoded]
    if isinstance(value, bytes):
        return [b"\xc6", struct.pack(">I", len(value)), value]
    raise TypeError(f"a frame cannot contain a value of type {type(value).__name__}")
