"""Raster images in cells, and placeholders for graphics in Markdown.

Most graphics consist of primitives that only a front end can render. Rasters and embedded image
files are extracted. `CompressedData["1:..."]` is Base64 of zlib of a stream of typed values; only
the types that occur in rasters are read: lists, numbers, strings and packed arrays.
"""

from __future__ import annotations

import base64
import binascii
import math
import re
import struct
import zlib
from typing import Any, NamedTuple

from paddock.wolfram.expressions import Atom, Expression, Node, has_head
from paddock.wolfram.literals import parse_number, parse_string

_DATA_MARKER = b"!boR"
_MAX_UNPACKED_BYTES = 64 * 1024 * 1024
_MAX_NESTING_LEVELS = 8
_TYPES_BY_SIGNATURE = {
    b"\x89PNG\r\n\x1a\n": "image/png",
    b"\xff\xd8\xff": "image/jpeg",
    b"GIF8": "image/gif",
}
_FILE_SUFFIXES = {"image/png": "png", "image/jpeg": "jpg", "image/gif": "gif"}
_BASE64 = re.compile(r"[A-Za-z0-9+/=\s]+")
_PNG_COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}
"""PNG color type by number of channels."""
_MAX_PIXELS = 16_000_000
_MAX_BOXES = 200
"""Limit of graphics boxes searched for a raster. In an image, it is among the first."""


class CompressedDataError(Exception):
    """Invalid or unsupported compressed data."""


def unpack_compressed_data(text: str) -> object:
    """Return the value in the text of a `CompressedData`: nested lists, numbers and strings.

    The size and nesting of the data are limited, because a notebook may be untrusted.

    Raises:
        CompressedDataError: The data is damaged, too large, or of an unsupported type.
    """
    version, _, data = text.strip().partition(":")
    if version != "1":
        raise CompressedDataError
    try:
        stream = zlib.decompressobj()
        raw = stream.decompress(base64.b64decode("".join(data.split())), _MAX_UNPACKED_BYTES)
        # A remaining tail means that the data was cut off at the size limit.
        if not raw.startswith(_DATA_MARKER) or stream.unconsumed_tail:
            raise CompressedDataError
        return _CompressedDataReader(raw).read_value(0)
    except (binascii.Error, zlib.error, struct.error, ValueError) as error:
        raise CompressedDataError from error


class _CompressedDataReader:
    """Reader for the binary data in a `CompressedData` expression.

    Lists become Python lists. Any other node becomes a list that begins with its head.
    """

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._position = len(_DATA_MARKER)

    def read_value(self, level: int) -> object:
        """Read the next value. `level` is its nesting depth."""
        # The data is untrusted, and deep nesting would exhaust the stack.
        if level > _MAX_NESTING_LEVELS:
            raise CompressedDataError
        match self._read_bytes(1):
            case b"i":
                return self._read_integer()
            case b"r":
                return struct.unpack("<d", self._read_bytes(8))[0]
            case b"s" | b"S":
                return self._read_bytes(self._read_integer()).decode("utf-8", "replace")
            case b"I":
                return int(self._read_bytes(self._read_integer()))
            case b"e":
                return self._read_array()
            case b"f":
                return self._read_node(level)
            case _:
                raise CompressedDataError

    def _read_bytes(self, size: int) -> bytes:
        data = self._raw[self._position : self._position + size]
        if size < 0 or len(data) < size:
            raise CompressedDataError
        self._position += size
        return data

    def _read_integer(self) -> int:
        return int.from_bytes(self._read_bytes(4), "little", signed=True)

    def _read_node(self, level: int) -> list[object]:
        count = self._read_integer()
        head = self.read_value(level + 1)
        items = [self.read_value(level + 1) for _ in range(count)]
        return items if head == "List" else [head, *items]

    def _read_array(self) -> list[object]:
        """Read reals in row-major order into nested lists."""
        lengths = [self._read_integer() for _ in range(self._read_integer())]
        size = math.prod(lengths)
        # Checked before unpacking, because the lengths are untrusted.
        if size > _MAX_UNPACKED_BYTES // 8 or size < 0:
            raise CompressedDataError
        values: list[object] = list(struct.unpack(f"<{size}d", self._read_bytes(8 * size)))
        for length in reversed(lengths[1:]):
            values = [values[start : start + length] for start in range(0, len(values), length)]
        return values


class _ImageFile(NamedTuple):
    """The content of an image file, and its MIME type."""

    data: bytes
    mime: str


class CellImage(NamedTuple):
    """A raster image as a file; `name` is its name in the Markdown text."""

    name: str
    data: bytes
    mime: str


class CellImageCollector:
    """The raster images of a notebook, in the order of their placeholders.

    Args:
        max_images: The maximum number of images to collect. Further graphics get a placeholder
            only.
    """

    def __init__(self, max_images: int) -> None:
        self.images: list[CellImage] = []
        self._graphics_count = 0
        self._max_images = max_images

    def make_placeholder(self, node: Node) -> str:
        """Return the Markdown placeholder of graphics, and collect a raster as an image file."""
        self._graphics_count += 1
        image = extract_image(node) if len(self.images) < self._max_images else None
        name = f"picture-{self._graphics_count}"
        if image is None:
            kind = "Graphics3D" if has_head(node, "Graphics3DBox") else "Graphics"
            return f"![{kind}]({name})"
        name = f"{name}.{_FILE_SUFFIXES[image.mime]}"
        self.images.append(CellImage(name, image.data, image.mime))
        return f"![Image]({name})"


def extract_image(node: Node) -> _ImageFile | None:
    """Return the image file of graphics, or None if they contain no raster."""
    if has_head(node, "GraphicsData"):
        return _extract_file(node)
    pending: list[Expression] = [node]
    # Vector graphics can have millions of boxes without any raster.
    for _ in range(_MAX_BOXES):
        if not pending:
            break
        box = pending.pop()
        if not isinstance(box, Node):
            continue
        if has_head(box, "RasterBox"):
            return _render_raster(box)
        pending += reversed(box.args[:20])
    return None


def _extract_file(node: Node) -> _ImageFile | None:
    """Return the image in the second string of a `GraphicsData`: raw bytes, or Base64."""
    strings = [parse_string(arg.text) for arg in node.args if isinstance(arg, Atom)]
    if len(strings) < 2:
        return None
    text = strings[1]
    try:
        if _BASE64.fullmatch(text):
            data = base64.b64decode("".join(text.split()), validate=True)
        else:
            data = text.encode("latin-1")
    except (binascii.Error, UnicodeEncodeError):
        return None
    mimes = (mime for start, mime in _TYPES_BY_SIGNATURE.items() if data.startswith(start))
    mime = next(mimes, None)
    return _ImageFile(data, mime) if mime is not None else None


def _render_raster(node: Node) -> _ImageFile | None:
    """Return the PNG file of a raster box, or None if its data is invalid or unsupported."""
    if not node.args:
        return None
    raster = _build_raster(_get_raster_values(node.args[0]), _get_maximum_value(node))
    if raster is None:
        return None
    # Rasters are stored bottom-up by default, PNG rows top-down.
    rows = raster.rows if _is_upright(node) else raster.rows[::-1]
    return _ImageFile(_encode_png(rows, raster.channels), "image/png")


def _get_raster_values(expression: Expression) -> object:
    """Return the numbers of a raster: compressed, in an array, or as nested lists."""
    match expression:
        case Node(head=Atom(text="CompressedData"), args=[Atom(text=literal), *_]):
            try:
                return unpack_compressed_data(parse_string(literal))
            except CompressedDataError:
                return None
        case (
            Node(head=Atom(text="RawArray"), args=[*_, values])
            | Node(head=Atom(text="NumericArray"), args=[values, *_])
        ):
            return _evaluate_numbers(values)
        case _:
            return _evaluate_numbers(expression)


def _evaluate_numbers(expression: Expression, level: int = 0) -> object:
    """Return numbers in nested lists as Python values, with None for anything else."""
    if isinstance(expression, Atom):
        return parse_number(expression.text)
    if level > 2 or not has_head(expression, "List"):
        return None
    return [_evaluate_numbers(arg, level + 1) for arg in expression.args]


def _get_maximum_value(node: Node) -> float:
    """Return the value of full intensity: the end of the raster's range `{0, 255}`, or 1."""
    for arg in node.args[1:]:
        match _evaluate_numbers(arg):
            case [_, int() | float() as maximum] if maximum > 0:
                return float(maximum)
    return 1.0


def _is_upright(node: Node) -> bool:
    """Return whether the first row is at the top, because the rectangle's corners go downwards."""
    match [_evaluate_numbers(arg) for arg in node.args[1:2]]:
        # The corners `{{0, 32}, {48, 0}}`.
        case [[[_, int() | float() as first], [_, int() | float() as second]]]:
            return first > second
        case _:
            return False


class _RasterRows(NamedTuple):
    """The rows of a raster, with one byte per channel."""

    rows: list[bytes]
    channels: int


def _build_raster(values: object, highest: float) -> _RasterRows | None:
    """Convert the values of a raster to rows of bytes.

    Args:
        values: Rows of pixels. A pixel is a number or a list with a number for each channel.
        highest: The value of full intensity.

    Returns:
        None if the values are not a rectangle of equal pixels, or exceed the maximum size.
    """
    if not isinstance(values, list) or not values or not isinstance(values[0], list):
        return None
    first_pixel = values[0][0] if values[0] else None
    channels = len(first_pixel) if isinstance(first_pixel, list) else 1
    width = len(values[0])
    if channels not in _PNG_COLOR_TYPES or not 0 < width * len(values) <= _MAX_PIXELS:
        return None
    try:
        rows = [_encode_row(row, channels, 255 / highest) for row in values]
    except (TypeError, ValueError, OverflowError):
        return None
    is_rectangular = all(len(row) == width * channels for row in rows)
    return _RasterRows(rows, channels) if is_rectangular else None


def _encode_row(row: list[Any], channels: int, scale: float) -> bytes:
    """Return the bytes of a row. `scale` maps full intensity to 255."""
    values = [channel_value for pixel in row for channel_value in pixel] if channels > 1 else row
    # A byte only holds 0 to 255, so values outside the range are clipped.
    return bytes(min(255, max(0, round(value * scale))) for value in values)


def _encode_png(rows: list[bytes], channels: int) -> bytes:
    """Return a PNG file with 8 bits per channel. Each row is stored without a filter."""
    width = len(rows[0]) // channels
    header = struct.pack(">IIBBBBB", width, len(rows), 8, _PNG_COLOR_TYPES[channels], 0, 0, 0)
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    chunks = ((b"IHDR", header), (b"IDAT", pixels), (b"IEND", b""))
    signature = next(iter(_TYPES_BY_SIGNATURE))
    return signature + b"".join(_encode_chunk(name, data) for name, data in chunks)


def _encode_chunk(name: bytes, data: bytes) -> bytes:
    size, checksum = struct.pack(">I", len(data)), struct.pack(">I", zlib.crc32(name + data))
    return size + name + data + checksum
