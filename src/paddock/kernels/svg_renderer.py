"""Conversion of SVG images to PNG, in a child process.

The images come from untrusted code. They are rendered in a separate process
(`svg_renderer_process`) with limits on time, memory and image size.
"""

from __future__ import annotations

import importlib.util
import io
import json
import os
import struct
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


_FONT_CANDIDATES = {
    "sans_serif_family": (
        ("Arial.ttf", "Arial"),
        ("arial.ttf", "Arial"),
        ("LiberationSans-Regular.ttf", "Liberation Sans"),
        ("DejaVuSans.ttf", "DejaVu Sans"),
        ("NotoSans-Regular.ttf", "Noto Sans"),
        ("FreeSans.ttf", "FreeSans"),
        ("Ubuntu-R.ttf", "Ubuntu"),
        ("Cantarell-Regular.otf", "Cantarell"),
        ("OpenSans-Regular.ttf", "Open Sans"),
    ),
    "serif_family": (
        ("LiberationSerif-Regular.ttf", "Liberation Serif"),
        ("DejaVuSerif.ttf", "DejaVu Serif"),
        ("NotoSerif-Regular.ttf", "Noto Serif"),
        ("FreeSerif.ttf", "FreeSerif"),
    ),
    "monospace_family": (
        ("LiberationMono-Regular.ttf", "Liberation Mono"),
        ("DejaVuSansMono.ttf", "DejaVu Sans Mono"),
        ("NotoSansMono-Regular.ttf", "Noto Sans Mono"),
        ("FreeMono.ttf", "FreeMono"),
    ),
}
_FONT_DIRECTORIES = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.local/share/fonts",
    "~/.fonts",
)
_MAX_FONT_FILES = 20_000
PNG_MIME_TYPE, SVG_MIME_TYPE = "image/png", "image/svg+xml"
RENDER_TIMEOUT_SECONDS = 20
"""Time limit for all images of one answer together."""
MAX_IMAGE_BYTES = 8 << 20
_RENDERER_SCRIPT = Path(__file__).with_name("svg_renderer_process.py")


@cache
def find_font_families() -> dict[str, str]:
    """Return an installed font for each generic family, as arguments for the renderer.

    The renderer maps `sans-serif` to Arial and draws no text if that is missing, as on most Linux
    machines. macOS and Windows have the fonts that it expects.
    """
    if sys.platform in ("win32", "darwin"):
        return {}
    files = _list_font_files()
    families = {
        generic: next((family for file, family in candidates if file in files), None)
        for generic, candidates in _FONT_CANDIDATES.items()
    }
    default = families["sans_serif_family"]
    return {generic: family for generic, match in families.items() if (family := match or default)}


def _list_font_files() -> set[str]:
    """Return the names of all font files in the usual directories, up to a maximum."""
    file_names: set[str] = set()
    for directory in _FONT_DIRECTORIES:
        for _, _, names in os.walk(Path(directory).expanduser()):
            file_names.update(names)
            if len(file_names) > _MAX_FONT_FILES:
                return file_names
    return file_names


@cache
def _find_resvg_directory() -> str | None:
    """Return the directory that contains `resvg_py`, without importing the package."""
    spec = importlib.util.find_spec("resvg_py")
    return str(Path(spec.origin).parent.parent) if spec and spec.origin else None


def can_render_svg() -> bool:
    """Return whether SVG images can be converted on this machine."""
    return _find_resvg_directory() is not None


def render_images(images: Sequence[tuple[bytes, str]]) -> list[bytes | None]:
    """Return each image as PNG, or None if it cannot be converted or is too large.

    Args:
        images: The content and media type of each image.
    """
    svg_indices = [index for index, (_, mime) in enumerate(images) if mime == SVG_MIME_TYPE]
    pngs: list[bytes | None] = [data if mime == PNG_MIME_TYPE else None for data, mime in images]
    package_directory = _find_resvg_directory()
    if svg_indices and package_directory is not None:
        rendered = _run_renderer([images[index][0] for index in svg_indices], package_directory)
        # The renderer may have ended early. The last images then have no result.
        for index, png in zip(svg_indices, rendered, strict=False):
            pngs[index] = png or None
    return [png if png and len(png) <= MAX_IMAGE_BYTES else None for png in pngs]


def _run_renderer(svgs: list[bytes], package_directory: str) -> list[bytes]:
    """Return the images that the renderer produced before it ended or timed out."""
    requests = b"".join(struct.pack(">I", len(svg)) + svg for svg in svgs)
    command = [sys.executable, "-I", "-S", str(_RENDERER_SCRIPT), package_directory]
    try:
        completed = subprocess.run(
            [*command, json.dumps(find_font_families())],
            input=requests,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=RENDER_TIMEOUT_SECONDS,
            check=False,
            env={},  # the server's environment may contain credentials
        )
        replies = completed.stdout
    except subprocess.TimeoutExpired as error:
        replies = error.stdout or b""
    except OSError:
        return []
    return _split_frames(replies)


def _split_frames(data: bytes) -> list[bytes]:
    """Split data into frames that are preceded by their length.

    An incomplete last frame is dropped.
    """
    stream = io.BytesIO(data)
    frames: list[bytes] = []
    while len(header := stream.read(4)) == 4:
        (size,) = struct.unpack(">I", header)
        frame = stream.read(size)
        if len(frame) == size:
            frames.append(frame)
    return frames
