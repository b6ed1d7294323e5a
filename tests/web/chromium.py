"""The Chromium that tests of the web app use; it is installed if it is missing."""

import os
import shutil
import subprocess
import sys
from functools import cache

from tests.workers import shared_lock

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
QUIET = (
    "--no-sandbox",  # which Chromium wants of root
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
"""So that it asks nothing of the world outside."""


@cache
def chromium() -> str | None:
    """The path of a Chromium; None for the one that Playwright has installed for itself."""
    with shared_lock("chromium"):
        return _on_path() or _installed()


def _installed() -> str | None:
    if shutil.which("apt-get") and os.geteuid() == 0:
        subprocess.run(["apt-get", "update", "-qq"], check=True)
        subprocess.run(["apt-get", "install", "-y", "-qq", "chromium"], check=True)
        return _on_path()
    subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)
    return None


def _on_path() -> str | None:
    return next((path for name in NAMES if (path := shutil.which(name))), None)
