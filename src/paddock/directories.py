"""Where Paddock keeps what belongs to its user.

Computed here and not by platformdirs, which takes 20 ms to import: a named server has to be found
before its first answer. The places are the same.
"""

from __future__ import annotations

import os
import sys

DATA_VARIABLE = "PADDOCK_DATA_DIR"


def data_directory() -> str:
    """The directory for servers, records and backups; it need not exist yet."""
    given = os.environ.get(DATA_VARIABLE)
    if given:
        return os.path.abspath(os.path.expanduser(given))
    return os.path.join(_set_for_user() or _usual_for_user(), "paddock")


def is_usual() -> bool:
    """Whether the directory is where it is without any variable but that of the home directory."""
    is_set = os.environ.get(DATA_VARIABLE) or _set_for_user() not in ("", _usual_for_user())
    return not is_set


def _set_for_user() -> str:
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA", "")
    if sys.platform == "darwin":
        return ""
    given = os.environ.get("XDG_DATA_HOME", "")
    # The specification has relative paths ignored.
    return given if os.path.isabs(given) else ""


def _usual_for_user() -> str:
    if sys.platform == "win32":
        return os.path.expanduser(os.path.join("~", "AppData", "Local"))
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support")
    return os.path.expanduser("~/.local/share")
