"""Which fonts labels are drawn with where a drawing asks for no certain one.

The renderer takes `sans-serif` for Arial, and draws nothing where that is missing, as on most Linux
machines. So a family that is there is named to it. macOS and Windows have what it looks for.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path

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
_FONT_DIRECTORIES = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.local/share/fonts", "~/.fonts")
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
