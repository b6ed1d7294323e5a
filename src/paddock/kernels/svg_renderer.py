"""Pictures that code has drawn, as PNG: `draw` in the server, `renderer` in a child process.

A drawing comes from code that nobody has checked, so it is rendered in a process of its own, with
limits on its time, its memory and the size of what it gives.

Which fonts labels are drawn with where a drawing asks for no certain one.

The renderer takes `sans-serif` for Arial, and draws nothing where that is missing, as on most Linux
machines. So a family that is there is named to it. macOS and Windows have what it looks for.

Having drawings rendered, in a child process that may fail.
"""

from __future__ import annotations

import importlib.util
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


@cache
def find_font_families() -> dict[str, str]:
    """A family for each of the generic ones, as the renderer's parameters; looked for once."""
    if sys.platform in ("win32", "darwin"):
        return {}
    files = _list_font_files()
    found = {
        generic: next((family for file, family in candidates if file in files), None)
        for generic, candidates in _FONT_CANDIDATES.items()
    }
    usual = found["sans_serif_family"]
    return {generic: family for generic, each in found.items() if (family := each or usual)}


def _list_font_files() -> set[str]:
    found: set[str] = set()
    for place in _FONT_DIRECTORIES:
        for _, _, names in os.walk(Path(place).expanduser()):
            found.update(names)
            if len(found) > _MAX_FONT_FILES:
                return found
    return found


PNG_MIME_TYPE, SVG_MIME_TYPE = "image/png", "image/svg+xml"
RENDER_TIMEOUT_SECONDS = 20
"""For all drawings of one answer."""
MAX_IMAGE_BYTES = 8 << 20
_RENDERER_SCRIPT = Path(__file__).with_name("svg_renderer_process.py")


@cache
def _find_resvg_directory() -> str | None:
    """The directory that holds `resvg_py`; nothing of it is imported here."""
    found = importlib.util.find_spec("resvg_py")
    return str(Path(found.origin).parent.parent) if found and found.origin else None


def can_render_svg() -> bool:
    """Whether drawings can be made into pictures on this machine."""
    return _find_resvg_directory() is not None


def render_images(pictures: Sequence[tuple[bytes, str]]) -> list[bytes | None]:
    """PNG for each picture, which is given with its type; None for one that cannot be had."""
    wanted = [index for index, (_, mime) in enumerate(pictures) if mime == SVG_MIME_TYPE]
    made: list[bytes | None] = [data if mime == PNG_MIME_TYPE else None for data, mime in pictures]
    package = _find_resvg_directory()
    if wanted and package is not None:
        rendered = _run_renderer([pictures[index][0] for index in wanted], package)
        for index, picture in zip(wanted, rendered, strict=False):
            made[index] = picture or None
    return [picture if picture and len(picture) <= MAX_IMAGE_BYTES else None for picture in made]


def _run_renderer(drawings: list[bytes], package: str) -> list[bytes]:
    """As many pictures as the child gave before it ended."""
    requests = b"".join(struct.pack(">I", len(drawing)) + drawing for drawing in drawings)
    try:
        done = subprocess.run(  # noqa: S603 - our own file, with our own interpreter
            [
                sys.executable,
                "-I",
                "-S",
                str(_RENDERER_SCRIPT),
                package,
                json.dumps(find_font_families()),
            ],
            input=requests,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=RENDER_TIMEOUT_SECONDS,
            check=False,
            env={},
        )
        answer = done.stdout
    except subprocess.TimeoutExpired as expired:
        answer = expired.stdout or b""
    except OSError:
        return []
    return list(_split_frames(answer))


def _split_frames(answer: bytes) -> list[bytes]:
    found: list[bytes] = []
    at = 0
    while at + 4 <= len(answer):
        size = struct.unpack_from(">I", answer, at)[0]
        if at + 4 + size > len(answer):
            break
        found.append(answer[at + 4 : at + 4 + size])
        at += 4 + size
    return found


__all__ = ["can_render_svg", "render_images"]
