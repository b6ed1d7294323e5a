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
"""Total time limit for all images in one answer."""
MAX_IMAGE_BYTES = 8 << 20
_RENDERER_SCRIPT = Path(__file__).with_name("svg_renderer_process.py")


@cache
def find_font_families() -> dict[str, str]:
    """Return an installed font for each generic family, as keyword arguments for the renderer.

    An example is `{"sans_serif_family": "DejaVu Sans"}`. Otherwise, the renderer draws `sans-serif`
    text in Arial, and draws nothing if Arial is missing, as on most Linux machines. On macOS and
    Windows, the result is empty, because they have the fonts that the renderer expects.
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
    """Return the names of the font files in this system's usual directories.

    To stay quick, the search ends after `_MAX_FONT_FILES` files.
    """
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


def convert_images_to_png(images: Sequence[tuple[bytes, str]]) -> list[bytes | None]:
    """Convert images to PNG in another process, with limits on time and memory.

    Args:
        images: The content and MIME type of each image.

    Returns:
        The PNG file for each image, or None if the image cannot be converted or is too large.
    """
    svg_indices = [index for index, (_, mime) in enumerate(images) if mime == SVG_MIME_TYPE]
    pngs: list[bytes | None] = [data if mime == PNG_MIME_TYPE else None for data, mime in images]
    package_directory = _find_resvg_directory()
    if svg_indices and package_directory is not None:
        rendered_pngs = _run_renderer(
            [images[index][0] for index in svg_indices], package_directory
        )
        # If the renderer crashed or timed out, the last images have no result.
        for index, png in zip(svg_indices, rendered_pngs, strict=False):
            pngs[index] = png or None
    return [png if png and len(png) <= MAX_IMAGE_BYTES else None for png in pngs]


def _run_renderer(svgs: list[bytes], package_directory: str) -> list[bytes]:
    """Render SVG images as PNG in another process, because a malformed image may crash it.

    Args:
        svgs: The SVG files.
        package_directory: The directory that contains the package `resvg_py`.

    Returns:
        The PNG files, empty for invalid images. Those after a crash or a timeout are missing.
    """
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
    """Split the renderer's output into frames, each of which is preceded by its length.

    The last frame is dropped if it is incomplete, because the renderer was ended while writing it.
    """
    stream = io.BytesIO(data)
    frames: list[bytes] = []
    while len(header := stream.read(4)) == 4:
        (size,) = struct.unpack(">I", header)
        frame = stream.read(size)
        if len(frame) == size:
            frames.append(frame)
    return frames
