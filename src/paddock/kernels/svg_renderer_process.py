"""The child process: drawings as SVG on its standard input, pictures as PNG on its output.

Each is preceded by its length, in four bytes; a picture of no length could not be drawn. Run as a
file, with two arguments: the directory that holds `resvg_py`, and families of fonts as JSON. It
imports nothing of Paddock.
"""

import json
import re
import struct
import sys
from typing import Any

MAX_SIDE_PIXELS = 2000
"""Pixels; larger drawings are made smaller."""
MAX_ENLARGED_SIDE_PIXELS = 600
"""Pixels; what is no larger is drawn at twice its size, so that its labels can be read."""
MAX_SVG_BYTES = 32 << 20
MAX_MEMORY_BYTES = 2 << 30
_ROOT_ELEMENT = re.compile(rb"<svg\b[^>]*>")
_NUMBER_PATTERN = r"\s*([0-9.]+)"


def main() -> None:
    """Render one drawing after the other, until there are no more."""
    _limit_memory()
    sys.path.append(sys.argv[1])
    families = json.loads(sys.argv[2])
    stream, answer = sys.stdin.buffer, sys.stdout.buffer
    while head := stream.read(4):
        picture = _render_svg(stream.read(struct.unpack(">I", head)[0]), families)
        answer.write(struct.pack(">I", len(picture)) + picture)
        answer.flush()


def _limit_memory() -> None:
    try:
        import resource  # noqa: PLC0415 - not on Windows
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _render_svg(svg: bytes, families: dict[str, Any]) -> bytes:
    if len(svg) > MAX_SVG_BYTES:
        return b""
    import resvg_py  # noqa: PLC0415 - its directory has to be on the path first

    try:
        return bytes(
            resvg_py.svg_to_bytes(
                svg_string=svg.decode("utf-8", "replace"),
                background="white",
                **families,
                **_choose_size(svg),
            )
        )
    except (ValueError, MemoryError):
        return b""


def _choose_size(svg: bytes) -> dict[str, Any]:
    """How large to draw: as the drawing says, unless that is very small or very large."""
    found = _ROOT_ELEMENT.search(svg[:4096])
    root = found[0].decode("ascii", "replace") if found else ""
    width, height = (_parse_length(root, name) for name in ("width", "height"))
    if not width or not height:
        box = re.search(
            rf"viewBox=[\"']{_NUMBER_PATTERN}[ ,]{_NUMBER_PATTERN}[ ,]{_NUMBER_PATTERN}[ ,]{_NUMBER_PATTERN}",
            root,
        )
        width, height = (float(box[3]), float(box[4])) if box else (0.0, 0.0)
    if 0 < max(width, height) <= MAX_ENLARGED_SIDE_PIXELS:
        return {"zoom": 2}
    if max(width, height) <= MAX_SIDE_PIXELS:
        return {}
    return {"width": MAX_SIDE_PIXELS} if width >= height else {"height": MAX_SIDE_PIXELS}


def _parse_length(root: str, name: str) -> float:
    found = re.search(rf"\b{name}=[\"']{_NUMBER_PATTERN}(?:px)?[\"']", root)
    return float(found[1]) if found else 0.0


if __name__ == "__main__":
    main()
