"""Opening a page in the user's browser, where there is one with a window."""

from __future__ import annotations

import os
import sys
from threading import Thread


def open_browser(url: str) -> None:
    """Open a page, without waiting for it. Nothing happens where nobody would see it."""
    if not (sys.stderr.isatty() and _has_window_system()):
        return
    import webbrowser  # noqa: PLC0415 - only where one is opened

    Thread(target=webbrowser.open, args=(url,), daemon=True).start()


def _has_window_system() -> bool:
    """Whether programs can show windows; a browser in a terminal would take that for itself."""
    if sys.platform in ("win32", "darwin"):
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
