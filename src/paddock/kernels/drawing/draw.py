"""Having drawings rendered, in a child process that may fail."""

from __future__ import annotations

import importlib.util
import json
import struct
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.kernels.drawing.fonts import find_font_families

if TYPE_CHECKING:
    from collections.abc import Sequence

PNG_MIME_TYPE, SVG_MIME_TYPE = "image/png", "image/svg+xml"
RENDER_TIMEOUT_SECONDS = 20
"""For all drawings of one answer."""
MAX_IMAGE_BYTES = 8 << 20
_RENDERER_SCRIPT = Path(__file__).with_name("renderer.py")


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
            [sys.executable, "-I", "-S", str(_RENDERER_SCRIPT), package, json.dumps(find_font_families())],
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
