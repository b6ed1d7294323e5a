"""Renderer process: reads SVG images from standard input, writes PNG images to standard output.

Each image is preceded by its length as four big-endian bytes. An empty reply means that the image
could not be rendered. The script takes two arguments: the directory that contains `resvg_py`, and
font families as JSON. It imports nothing from Paddock.
"""

# A Python without `site` does not have the `resvg_py` directory in its path, so it is added first.

import json
import re
import struct
import sys
from typing import Any

if sys.platform != "win32":
    import resource

sys.path.append(sys.argv[1])
import resvg_py

MAX_SIDE_PIXELS = 2000
"""Larger images are scaled down to this size."""
MAX_ENLARGED_SIDE_PIXELS = 600
"""Images up to this size are enlarged by a factor of 2 so that their labels are legible."""
MAX_SVG_BYTES = 32 << 20
MAX_MEMORY_BYTES = 2 << 30
_ROOT_ELEMENT = re.compile(rb"<svg\b[^>]*>")
_NUMBER_PATTERN = r"\s*([0-9.]+)"
_VIEW_BOX = re.compile("viewBox=[\"']" + "[ ,]".join([_NUMBER_PATTERN] * 4))


def main() -> None:
    """Read SVG images from standard input and write PNG images to standard output.

    Each image is preceded by its length in four bytes. The process ends when standard input does.
    The second argument in `sys.argv` contains the names of the fonts to use, as a JSON object.
    """
    if sys.platform != "win32":
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))
        # A malformed image may crash this process. It must not leave a core dump.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    families = json.loads(sys.argv[2])
    requests, replies = sys.stdin.buffer, sys.stdout.buffer
    while header := requests.read(4):
        png = _render_svg(requests.read(struct.unpack(">I", header)[0]), families)
        replies.write(struct.pack(">I", len(png)) + png)
        replies.flush()


def _render_svg(svg: bytes, families: dict[str, Any]) -> bytes:
    """Render an SVG image as PNG, with a white background.

    Args:
        svg: The SVG file.
        families: The names of the fonts to use, as keyword arguments for the renderer.

    Returns:
        The PNG file, or empty bytes if the image is too large or invalid.
    """
    if len(svg) > MAX_SVG_BYTES:
        return b""
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
    """Return the keyword arguments that determine the size of the rendered image.

    Small images are enlarged, for instance with `{"zoom": 2}`, and large ones are reduced to the
    maximum side. An image's size is that of its root element or view box.
    """
    match = _ROOT_ELEMENT.search(svg[:4096])
    root = match[0].decode("ascii", "replace") if match else ""
    width, height = (_parse_length(root, name) for name in ("width", "height"))
    if not width or not height:
        box = _VIEW_BOX.search(root)
        width, height = (float(box[3]), float(box[4])) if box else (0.0, 0.0)
    if 0 < max(width, height) <= MAX_ENLARGED_SIDE_PIXELS:
        return {"zoom": 2}
    if max(width, height) <= MAX_SIDE_PIXELS:
        return {}
    return {"width": MAX_SIDE_PIXELS} if width >= height else {"height": MAX_SIDE_PIXELS}


def _parse_length(root: str, name: str) -> float:
    match = re.search(rf"\b{name}=[\"']{_NUMBER_PATTERN}(?:px)?[\"']", root)
    return float(match[1]) if match else 0.0


if __name__ == "__main__":
    main()
