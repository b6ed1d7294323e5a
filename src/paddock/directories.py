"""Where Paddock keeps what belongs to its user.

Computed here and not by platformdirs, which takes 20 ms to import: a named server has to be found
before its first answer. The places are the same.
"""

from __future__ import annotations

import os
import sys

DATA_DIRECTORY_VARIABLE = "PADDOCK_DATA_DIR"


def get_data_directory() -> str:
    """The directory for servers, records and backups; it need not exist yet."""
    given = os.environ.get(DATA_DIRECTORY_VARIABLE)
    if given:
        return os.path.abspath(os.path.expanduser(given))
    return os.path.join(_get_configured_base() or _get_default_base(), "paddock")


def is_default_data_directory() -> bool:
    """Whether the directory is where it is without any variable but that of the home directory."""
    is_set = os.environ.get(DATA_DIRECTORY_VARIABLE) or _get_configured_base() not in (
        "",
        _get_default_base(),
    )
    return not is_set


def _get_configured_base() -> str:
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA", "")
    if sys.platform == "darwin":
        return ""
    given = os.environ.get("XDG_DATA_HOME", "")
    # The specification has relative paths ignored.
    return given if os.path.isabs(given) else ""


def _get_default_base() -> str:
    if sys.platform == "win32":
        return os.path.expanduser(os.path.join("~", "AppData", "Local"))
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support")
    return os.path.expanduser("~/.local/share")
