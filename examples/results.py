"""What a tool may return: data, several kinds of content, a picture, an error."""

import struct
import zlib
from typing import TypedDict

from paddock import ResourceLink, Server, TextContent, ToolError

server = Server("gallery", version="1.0")


class Colour(TypedDict):
    """A colour by its three parts, from 0 to 255."""

    red: int
    green: int
    blue: int


@server.tool
def mix(first: Colour, second: Colour) -> Colour:
    """Mix two colours; the result is structured content."""
    return {
        "red": (first["red"] + second["red"]) // 2,
        "green": (first["green"] + second["green"]) // 2,
        "blue": (first["blue"] + second["blue"]) // 2,
    }


@server.tool
def paint(colour: Colour, size: int = 16) -> tuple[bytes, str]:
    """Paint a square; the result is a picture."""
    if not 1 <= size <= 256:
        raise ToolError(f"A square of {size} pixels is not to be had: choose 1 to 256.")
    row = b"\0" + bytes([colour["red"], colour["green"], colour["blue"]]) * size
    return _png(size, row * size), "image/png"


@server.tool
def explain(topic: str) -> list[TextContent | ResourceLink]:
    """Say something, and point to more."""
    link = ResourceLink("gallery://colours", "colours", description="All colours by name")
    return [TextContent(f"{topic} is made of light."), link]


@server.resource("gallery://colours", mime_type="application/json")
def colours() -> dict[str, Colour]:
    """Colours by name."""
    return {"white": {"red": 255, "green": 255, "blue": 255}}


def _png(size: int, rows: bytes) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        checksum = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + checksum

    header = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


if __name__ == "__main__":
    server.run()
