"""The data directory: named servers, installation records, locks and backups.

The paths are those of platformdirs. Importing platformdirs takes 20 ms, and a named server must be
located before its first response, so they are computed here.
"""

from __future__ import annotations

import os
import sys

DATA_DIRECTORY_VARIABLE = "PADDOCK_DATA_DIR"


def get_data_directory() -> str:
    """Return the absolute path of the data directory, which may not exist yet."""
    override = os.environ.get(DATA_DIRECTORY_VARIABLE)
    if override:
        return os.path.abspath(os.path.expanduser(override))
    return os.path.join(_get_configured_base() or _get_default_base(), "paddock")


def is_default_data_directory() -> bool:
    """Return whether no environment variable except the home directory's changes the path."""
    if os.environ.get(DATA_DIRECTORY_VARIABLE):
        return False
    return _get_configured_base() in ("", _get_default_base())


def _get_configured_base() -> str:
    """Return the directory for data of applications that the environment sets, or ""."""
    if sys.platform == "win32":
        return os.environ.get("LOCALAPPDATA", "")
    if sys.platform == "darwin":
        return ""
    xdg_data_home = os.environ.get("XDG_DATA_HOME", "")
    # The XDG Base Directory Specification requires relative paths to be ignored.
    return xdg_data_home if os.path.isabs(xdg_data_home) else ""


def _get_default_base() -> str:
    if sys.platform == "win32":
        return os.path.expanduser(os.path.join("~", "AppData", "Local"))
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Application Support")
    return os.path.expanduser("~/.local/share")
