"""Pictures in cells: what stands for them in markdown, and their pixels where the file has them.

Most graphics are lines and texts that only a front end can draw. A raster, and a file in a known
format, are pixels already.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
import zlib
from typing import Any, NamedTuple

from paddock.wolfram.expressions import Atom, Expression, Node, has_head
from paddock.wolfram.notebooks.compressed import PackedError, unpack
from paddock.wolfram.text import number_value, string_value

_FORMATS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
_ENDINGS = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif"}
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")
_COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}
"""Of a PNG file, by the number of channels."""
_MOST_PIXELS = 16_000_000
_MOST_STEPS = 200
"""How many boxes of graphics are looked at for a raster: it is the first thing in an image."""


class Picture(NamedTuple):
    """Pixels of a picture, as a file; `name` is what its place in the markdown calls it."""

    name: str
    data: bytes
    mime: str


class Pictures:
    """The pictures of a notebook in the order in which they were met."""

    def __init__(self, most: int) -> None:
        self.found: list[Picture] = []
        self._met = 0
        self._most = most

    def placeholder(self, node: Node) -> str:
        """What stands for graphics in markdown."""
        self._met += 1
        is_wanted = len(self.found) < self._most
        pixels = pixels_of(node) if is_wanted else None
        name = f"picture-{self._met}"
        kind = "Graphics3D" if has_head(node, "Graphics3DBox") else "Graphics"
        if pixels is None:
            return f"![{kind}]({name})"
        data, mime = pixels
        name = f"{name}.{_ENDINGS[mime]}"
        self.found.append(Picture(name, data, mime))
        return f"![Image]({name})"


def pixels_of(node: Node) -> tuple[bytes, str] | None:
    """A picture as a file and its type, if it is one of pixels that can be read."""
    if has_head(node, "GraphicsData"):
        return _file(node)
    waiting: list[Expression] = [node]
    for _ in range(_MOST_STEPS):
        if not waiting:
            break
        found = waiting.pop()
        if not isinstance(found, Node):
            continue
        if has_head(found, "RasterBox"):
            return _raster(found)
        waiting += reversed(found.args[:20])
    return None


def _file(node: Node) -> tuple[bytes, str] | None:
    """A file in a string: as it is, or in base64."""
    texts = [string_value(arg.text) for arg in node.args if isinstance(arg, Atom)]
    if len(texts) < 2:
        return None
    return _known(texts[1])


def _known(text: str) -> tuple[bytes, str] | None:
    try:
        data = (
            base64.b64decode("".join(text.split()), validate=True)
            if _BASE64.fullmatch(text)
            else text.encode("latin-1")
        )
    except (binascii.Error, UnicodeEncodeError):
        return None
    mime = next((mime for mark, mime in _FORMATS.items() if data.startswith(mark)), None)
    return (data, mime) if mime is not None else None


def _raster(node: Node) -> tuple[bytes, str] | None:
    if not node.args:
        return None
    raster = _pixels(_values(node.args[0]), _highest(node))
    if raster is None:
        return None
    rows = raster.rows if _is_upright(node) else raster.rows[::-1]
    return _png(rows, raster.channels), "image/png"


def _values(expression: Expression) -> object:
    """The numbers of a raster, however they are kept."""
    if isinstance(expression, Node) and expression.args:
        if has_head(expression, "CompressedData") and isinstance(expression.args[0], Atom):
            try:
                return unpack(string_value(expression.args[0].text))
            except PackedError:
                return None
        if has_head(expression, "RawArray") or has_head(expression, "NumericArray"):
            return _numbers(expression.args[-1 if has_head(expression, "RawArray") else 0], 0)
        return _numbers(expression, 0)
    return None


def _numbers(expression: Expression, level: int) -> object:
    if isinstance(expression, Atom):
        return number_value(expression.text)
    if level > 2 or not has_head(expression, "List"):
        return None
    return [_numbers(arg, level + 1) for arg in expression.args]


def _highest(node: Node) -> float:
    """The value of full light: the end of the range that a raster gives, or 1."""
    for arg in node.args[1:]:
        if isinstance(arg, Node) and has_head(arg, "List") and len(arg.args) == 2:
            last = arg.args[1]
            value = number_value(last.text) if isinstance(last, Atom) else None
            if isinstance(value, int | float) and value > 0:
                return float(value)
    return 1.0


def _is_upright(node: Node) -> bool:
    """Whether the first row is the top one: when the rectangle goes downwards."""
    numbers = _numbers(node.args[1], 0) if len(node.args) > 1 else None
    corners = numbers if isinstance(numbers, list) else []
    heights = [corner[1] for corner in corners if isinstance(corner, list) and len(corner) == 2]
    is_known = len(heights) == 2 and all(isinstance(one, int | float) for one in heights)
    return is_known and heights[0] > heights[1]


class _Raster(NamedTuple):
    """Rows of bytes, so many to a pixel."""

    rows: list[bytes]
    channels: int


def _pixels(values: object, highest: float) -> _Raster | None:
    if not isinstance(values, list) or not values or not isinstance(values[0], list):
        return None
    first = values[0][0] if values[0] else None
    channels = len(first) if isinstance(first, list) else 1
    width = len(values[0])
    if channels not in _COLOURS or not 0 < width * len(values) <= _MOST_PIXELS:
        return None
    try:
        rows = [_bytes(row, channels, 255 / highest) for row in values]
    except (TypeError, ValueError, OverflowError):
        return None
    is_even = all(len(row) == width * channels for row in rows)
    return _Raster(rows, channels) if is_even else None


def _bytes(row: list[Any], channels: int, scale: float) -> bytes:
    flat = [part for pixel in row for part in pixel] if channels > 1 else row
    return bytes(min(255, max(0, round(value * scale))) for value in flat)


def _png(rows: list[bytes], channels: int) -> bytes:
    width = len(rows[0]) // channels
    header = struct.pack(">IIBBBBB", width, len(rows), 8, _COLOURS[channels], 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    parts = ((b"IHDR", header), (b"IDAT", pixels), (b"IEND", b""))
    signature = next(iter(_FORMATS))
    return signature + b"".join(_chunk(name, data) for name, data in parts)


def _chunk(name: bytes, data: bytes) -> bytes:
    size, check = struct.pack(">I", len(data)), struct.pack(">I", zlib.crc32(name + data))
    return size + name + data + check
