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
from paddock.wolfram.notebooks.compressed import CompressedDataError, unpack_compressed_data
from paddock.wolfram.text import parse_number, parse_string

_TYPES_BY_SIGNATURE = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}
_FILE_SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif"}
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")
_PNG_COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}
"""Of a PNG file, by the number of channels."""
_MAX_PIXELS = 16_000_000
_MAX_BOXES = 200
"""How many boxes of graphics are looked at for a raster: it is the first thing in an image."""


class CellImage(NamedTuple):
    """Pixels of a picture, as a file; `name` is what its place in the markdown calls it."""

    name: str
    data: bytes
    mime: str


class CellImageCollector:
    """The pictures of a notebook in the order in which they were met."""

    def __init__(self, most: int) -> None:
        self.images: list[CellImage] = []
        self._graphics_count = 0
        self._max_images = most

    def make_placeholder(self, node: Node) -> str:
        """What stands for graphics in markdown."""
        self._graphics_count += 1
        is_wanted = len(self.images) < self._max_images
        pixels = extract_image(node) if is_wanted else None
        name = f"picture-{self._graphics_count}"
        kind = "Graphics3D" if has_head(node, "Graphics3DBox") else "Graphics"
        if pixels is None:
            return f"![{kind}]({name})"
        data, mime = pixels
        name = f"{name}.{_FILE_SUFFIXES[mime]}"
        self.images.append(CellImage(name, data, mime))
        return f"![Image]({name})"


def extract_image(node: Node) -> tuple[bytes, str] | None:
    """A picture as a file and its type, if it is one of pixels that can be read."""
    if has_head(node, "GraphicsData"):
        return _extract_file(node)
    waiting: list[Expression] = [node]
    for _ in range(_MAX_BOXES):
        if not waiting:
            break
        found = waiting.pop()
        if not isinstance(found, Node):
            continue
        if has_head(found, "RasterBox"):
            return _render_raster(found)
        waiting += reversed(found.args[:20])
    return None


def _extract_file(node: Node) -> tuple[bytes, str] | None:
    """A file in a string: as it is, or in base64."""
    texts = [parse_string(arg.text) for arg in node.args if isinstance(arg, Atom)]
    if len(texts) < 2:
        return None
    return _decode_image(texts[1])


def _decode_image(text: str) -> tuple[bytes, str] | None:
    try:
        data = (
            base64.b64decode("".join(text.split()), validate=True)
            if _BASE64.fullmatch(text)
            else text.encode("latin-1")
        )
    except (binascii.Error, UnicodeEncodeError):
        return None
    mime = next((mime for mark, mime in _TYPES_BY_SIGNATURE.items() if data.startswith(mark)), None)
    return (data, mime) if mime is not None else None


def _render_raster(node: Node) -> tuple[bytes, str] | None:
    if not node.args:
        return None
    raster = _build_raster(_get_raster_values(node.args[0]), _get_maximum_value(node))
    if raster is None:
        return None
    rows = raster.rows if _is_upright(node) else raster.rows[::-1]
    return _encode_png(rows, raster.channels), "image/png"


def _get_raster_values(expression: Expression) -> object:
    """The numbers of a raster, however they are kept."""
    if isinstance(expression, Node) and expression.args:
        if has_head(expression, "CompressedData") and isinstance(expression.args[0], Atom):
            try:
                return unpack_compressed_data(parse_string(expression.args[0].text))
            except CompressedDataError:
                return None
        if has_head(expression, "RawArray") or has_head(expression, "NumericArray"):
            return _evaluate_numbers(expression.args[-1 if has_head(expression, "RawArray") else 0], 0)
        return _evaluate_numbers(expression, 0)
    return None


def _evaluate_numbers(expression: Expression, level: int) -> object:
    if isinstance(expression, Atom):
        return parse_number(expression.text)
    if level > 2 or not has_head(expression, "List"):
        return None
    return [_evaluate_numbers(arg, level + 1) for arg in expression.args]


def _get_maximum_value(node: Node) -> float:
    """The value of full light: the end of the range that a raster gives, or 1."""
    for arg in node.args[1:]:
        if isinstance(arg, Node) and has_head(arg, "List") and len(arg.args) == 2:
            last = arg.args[1]
            value = parse_number(last.text) if isinstance(last, Atom) else None
            if isinstance(value, int | float) and value > 0:
                return float(value)
    return 1.0


def _is_upright(node: Node) -> bool:
    """Whether the first row is the top one: when the rectangle goes downwards."""
    numbers = _evaluate_numbers(node.args[1], 0) if len(node.args) > 1 else None
    corners = numbers if isinstance(numbers, list) else []
    heights = [corner[1] for corner in corners if isinstance(corner, list) and len(corner) == 2]
    is_known = len(heights) == 2 and all(isinstance(one, int | float) for one in heights)
    return is_known and heights[0] > heights[1]


class _RasterRows(NamedTuple):
    """Rows of bytes, so many to a pixel."""

    rows: list[bytes]
    channels: int


def _build_raster(values: object, highest: float) -> _RasterRows | None:
    if not isinstance(values, list) or not values or not isinstance(values[0], list):
        return None
    first = values[0][0] if values[0] else None
    channels = len(first) if isinstance(first, list) else 1
    width = len(values[0])
    if channels not in _PNG_COLOR_TYPES or not 0 < width * len(values) <= _MAX_PIXELS:
        return None
    try:
        rows = [_encode_row(row, channels, 255 / highest) for row in values]
    except (TypeError, ValueError, OverflowError):
        return None
    is_even = all(len(row) == width * channels for row in rows)
    return _RasterRows(rows, channels) if is_even else None


def _encode_row(row: list[Any], channels: int, scale: float) -> bytes:
    flat = [part for pixel in row for part in pixel] if channels > 1 else row
    return bytes(min(255, max(0, round(value * scale))) for value in flat)


def _encode_png(rows: list[bytes], channels: int) -> bytes:
    width = len(rows[0]) // channels
    header = struct.pack(">IIBBBBB", width, len(rows), 8, _PNG_COLOR_TYPES[channels], 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    parts = ((b"IHDR", header), (b"IDAT", pixels), (b"IEND", b""))
    signature = next(iter(_TYPES_BY_SIGNATURE))
    return signature + b"".join(_encode_chunk(name, data) for name, data in parts)


def _encode_chunk(name: bytes, data: bytes) -> bytes:
    size, check = struct.pack(">I", len(data)), struct.pack(">I", zlib.crc32(name + data))
    return size + name + data + check
