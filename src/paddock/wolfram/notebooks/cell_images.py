"""Extracts raster images from cells, and writes placeholders for graphics in Markdown.

Most graphics consist of primitives that only a front end can render. Rasters and embedded image
files are extracted. `CompressedData["1:..."]` is a stream of typed values, compressed with zlib and
encoded as Base64. Only the types that occur in rasters are read: lists, numbers, strings and packed
arrays.
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
"""Maximum number of boxes searched for a raster. In an image, it is among the first."""


class CompressedDataError(Exception):
    """Invalid or unsupported compressed data."""


def unpack_compressed_data(text: str) -> object:
    """Decode the text of a `CompressedData` expression, which notebooks use to store large data.

    The result consists of nested lists, numbers and strings. The size and the nesting are limited,
    because the notebook may be untrusted.

    Raises:
        CompressedDataError: The data is damaged, too large, or of an unsupported type.
    """
    version, _, base64_text = text.strip().partition(":")
    if version != "1":
        raise CompressedDataError
    try:
        compressed_bytes = base64.b64decode("".join(base64_text.split()))
        decompressor = zlib.decompressobj()
        unpacked_bytes = decompressor.decompress(compressed_bytes, _MAX_UNPACKED_BYTES)
        # Remaining data means that the output was cut off at the size limit.
        if not unpacked_bytes.startswith(_DATA_MARKER) or decompressor.unconsumed_tail:
            raise CompressedDataError
        return _CompressedDataReader(unpacked_bytes).read_value(0)
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
        """Read the next value, whose first byte is its type.

        Args:
            level: The nesting depth of the value, from 0.

        Raises:
            CompressedDataError: The type is not supported, or the data is nested too deeply.
        """
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
        """Read an array of 64-bit floats as nested lists.

        The data consists of the number of dimensions, their lengths, and the numbers in row-major
        order.
        """
        dimension_count = self._read_integer()
        lengths = [self._read_integer() for _ in range(dimension_count)]
        size = math.prod(lengths)
        # Check the size before unpacking, because the lengths are untrusted.
        if size > _MAX_UNPACKED_BYTES // 8 or size < 0:
            raise CompressedDataError
        elements: list[object] = list(struct.unpack(f"<{size}d", self._read_bytes(8 * size)))
        for length in reversed(lengths[1:]):
            elements = [
                elements[start : start + length] for start in range(0, len(elements), length)
            ]
        return elements


class _ImageFile(NamedTuple):
    """The content of an image file, and its MIME type."""

    data: bytes
    mime: str


class CellImage(NamedTuple):
    """A raster image as a file. `name` is its name in the Markdown text."""

    name: str
    data: bytes
    mime: str


class CellImageCollector:
    """Collector of the images in a notebook that is converted to Markdown.

    Each graphics box is replaced with a placeholder such as `![Image](picture-1.png)`. If it
    contains a raster, the image file is added to `images`.

    Args:
        max_images: The maximum number of images to collect. Any other graphics only get a
            placeholder.
    """

    def __init__(self, max_images: int) -> None:
        self.images: list[CellImage] = []
        self._graphics_count = 0
        self._max_images = max_images

    def make_placeholder(self, node: Node) -> str:
        """Return the Markdown placeholder for a graphics box, and collect its image if it has one.

        A raster becomes `![Image](picture-1.png)`. Vector graphics, and rasters beyond the maximum
        number, become `![Graphics](picture-1)`.
        """
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
    """Return the image file for a graphics box, or None if the box contains no raster."""
    if has_head(node, "GraphicsData"):
        return _extract_embedded_file(node)
    pending: list[Expression] = [node]
    # The search is limited, because vector graphics can have millions of boxes without a raster.
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


def _extract_embedded_file(node: Node) -> _ImageFile | None:
    """Return the image file that a `GraphicsData` expression contains as a string.

    The string (the second argument) is Base64 or has one character per byte. Returns None if it is
    not an image of a supported type.
    """
    strings = [parse_string(arg.text) for arg in node.args if isinstance(arg, Atom)]
    if len(strings) < 2:
        return None
    encoded_image = strings[1]
    try:
        if _BASE64.fullmatch(encoded_image):
            image_bytes = base64.b64decode("".join(encoded_image.split()), validate=True)
        else:
            image_bytes = encoded_image.encode("latin-1")
    except (binascii.Error, UnicodeEncodeError):
        return None
    for signature, mime in _TYPES_BY_SIGNATURE.items():
        if image_bytes.startswith(signature):
            return _ImageFile(image_bytes, mime)
    return None


def _render_raster(node: Node) -> _ImageFile | None:
    """Convert a `RasterBox`, which contains the pixels of an image, to a PNG file.

    Returns None if the pixels are invalid or of an unsupported type.
    """
    if not node.args:
        return None
    raster = _build_raster(_get_raster_values(node.args[0]), _get_maximum_value(node))
    if raster is None:
        return None
    # Rasters are stored from bottom to top by default, but PNG rows from top to bottom.
    rows = raster.rows if _has_top_row_first(node) else raster.rows[::-1]
    return _ImageFile(_encode_png(rows, raster.channels), "image/png")


def _get_raster_values(expression: Expression) -> object:
    """Return the pixels of a raster as nested lists of numbers.

    A notebook stores them as compressed data, as an array, or as nested lists. Returns None if
    compressed data is invalid.
    """
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
    """Return nested lists of numbers as Python values, with None for anything else."""
    if isinstance(expression, Atom):
        return parse_number(expression.text)
    if level > 2 or not has_head(expression, "List"):
        return None
    return [_evaluate_numbers(arg, level + 1) for arg in expression.args]


def _get_maximum_value(node: Node) -> float:
    """Return the full-intensity value: the end of the raster's range `{0, 255}`, or 1."""
    for arg in node.args[1:]:
        match _evaluate_numbers(arg):
            case [_, int() | float() as maximum] if maximum > 0:
                return float(maximum)
    return 1.0


def _has_top_row_first(node: Node) -> bool:
    """Return whether a raster box stores its top row first.

    Its second argument contains two opposite corners of the image. The first one belongs to the
    first row: `{{0, 32}, {48, 0}}` if this row is at the top.
    """
    match [_evaluate_numbers(arg) for arg in node.args[1:2]]:
        case [[[_, int() | float() as first_y], [_, int() | float() as last_y]]]:
            return first_y > last_y
        case _:
            return False


class _RasterRows(NamedTuple):
    """The rows of a raster, with one byte per channel."""

    rows: list[bytes]
    channels: int


def _build_raster(values: object, highest: float) -> _RasterRows | None:
    """Convert the pixels of a raster to rows of bytes, with one byte per channel.

    Args:
        values: Rows of pixels. A pixel is a number, or a list with one number per channel.
        highest: The full-intensity value, which becomes 255.

    Returns:
        The rows, or None if the values are not a rectangle of uniform pixels or exceed the maximum
        size.
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
    # A byte can only hold 0 to 255, so values outside this range are clipped.
    return bytes(min(255, max(0, round(value * scale))) for value in values)


def _encode_png(rows: list[bytes], channels: int) -> bytes:
    """Return a PNG file with 8 bits per channel.

    Args:
        rows: The pixels from top to bottom, with one byte per channel.
        channels: The number of channels, from 1 (gray) to 4 (red, green, blue and alpha).
    """
    width = len(rows[0]) // channels
    header = struct.pack(">IIBBBBB", width, len(rows), 8, _PNG_COLOR_TYPES[channels], 0, 0, 0)
    # The zero byte before each row means that the row has no filter.
    pixels = zlib.compress(b"".join(b"\0" + row for row in rows))
    chunks = ((b"IHDR", header), (b"IDAT", pixels), (b"IEND", b""))
    png_signature = next(iter(_TYPES_BY_SIGNATURE))
    return png_signature + b"".join(_encode_chunk(name, content) for name, content in chunks)


def _encode_chunk(name: bytes, data: bytes) -> bytes:
    size, checksum = struct.pack(">I", len(data)), struct.pack(">I", zlib.crc32(name + data))
    return size + name + data + checksum
