"""Paclet search paths for each operating system, and the names of paclet files.

The paths are computed from the environment without accessing the file system.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from paddock.directories import get_data_directory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PACLET_SUFFIX = ".paclet"
"""The suffix of paclet archives."""
PACLET_INFO_FILE_NAMES = ("PacletInfo.wl", "PacletInfo.m")
"""Names of a paclet's manifest. A directory with such a file is a paclet."""
PACLET_PATH_VARIABLE = "PADDOCK_PACLET_PATH"
PADDOCK_PACLET_FOLDER = "paclets"
"""The folder in the data directory for paclets installed by Paddock."""

_USER_VARIABLES = ("WOLFRAM_USERBASE", "MATHEMATICA_USERBASE")
_SYSTEM_VARIABLES = ("WOLFRAM_BASE", "MATHEMATICA_BASE")
_PRODUCT_FOLDERS = ("Wolfram", "Mathematica")
"""The names of Wolfram's folders since version 14.1 and before."""
_PACLET_FOLDERS = ("Paclets", "Applications")


def list_search_paths(
    system: str | None = None,
    environment: Mapping[str, str] | None = None,
    *,
    data_directory: str | None = None,
) -> list[PurePath]:
    """Return the directories and archives to search for installed paclets (Wolfram packages).

    In order of precedence, these are the paths in the environment variable `PADDOCK_PACLET_PATH`,
    Paddock's own folder, Wolfram's folders for the current user, and those for all users. They need
    not exist.

    Args:
        system: A `sys.platform` value (default: this system).
        environment: The environment variables (default: those of this process).
        data_directory: Paddock's data directory (default: this user's).
    """
    system = system or sys.platform
    environment = os.environ if environment is None else environment
    path_class = PureWindowsPath if system == "win32" else PurePosixPath
    home_variable = "USERPROFILE" if system == "win32" else "HOME"
    home = path_class(environment.get(home_variable) or _get_home(path_class))
    paths: list[PurePath] = list(_iter_configured_paths(environment, path_class, home))
    paths.append(path_class(data_directory or get_data_directory()) / PADDOCK_PACLET_FOLDER)
    base_directories = [
        *_iter_user_directories(system, environment, home),
        *_iter_system_directories(system, environment),
    ]
    paths += [
        path_class(base_directory) / folder
        for base_directory in base_directories
        for folder in _PACLET_FOLDERS
    ]
    return list(dict.fromkeys(paths))


def get_configured_paths() -> str | None:
    """Return `PADDOCK_PACLET_PATH` with absolute paths, or None if it is empty."""
    path = PureWindowsPath if sys.platform == "win32" else PurePosixPath
    configured = _iter_configured_paths(os.environ, path, path(Path.home()))
    return os.pathsep.join(str(Path(entry).absolute()) for entry in configured) or None


def _get_home(path_class: type[PurePath]) -> str:
    """Return the home directory if it is not in the environment, or "" for another system."""
    native = PureWindowsPath if sys.platform == "win32" else PurePosixPath
    return str(Path.home()) if path_class is native else ""


def _iter_configured_paths(
    environment: Mapping[str, str], path_class: type[PurePath], home: PurePath
) -> Iterator[PurePath]:
    """Yield the paths in the environment variable `PADDOCK_PACLET_PATH`.

    They are separated as in `PATH`, and `~` means the home directory.
    """
    separator = ";" if path_class is PureWindowsPath else ":"
    for entry in environment.get(PACLET_PATH_VARIABLE, "").split(separator):
        path_text = entry.strip().strip('"')
        if path_text == "~" or path_text.startswith(("~/", "~\\")):
            yield home / path_text[2:]
        elif path_text:
            yield path_class(path_text)


def _iter_user_directories(
    system: str, environment: Mapping[str, str], home: PurePath
) -> Iterator[PurePath | str]:
    """Yield the directories where Wolfram products store the current user's files.

    An example is `~/.Wolfram` on Linux. Environment variables such as `WOLFRAM_USERBASE` come
    first.
    """
    yield from _iterate_variable_values(environment, _USER_VARIABLES)
    for product in _PRODUCT_FOLDERS:
        if system == "win32":
            roaming = environment.get("APPDATA")
            yield PureWindowsPath(roaming or home / "AppData" / "Roaming") / product
        elif system == "darwin":
            yield home / "Library" / product
        else:
            yield home / f".{product}"


def _iter_system_directories(
    system: str, environment: Mapping[str, str]
) -> Iterator[PurePath | str]:
    """Yield the directories where Wolfram products store files for all users of the machine.

    An example is `/usr/share/Wolfram` on Linux. Environment variables such as `WOLFRAM_BASE` come
    first.
    """
    yield from _iterate_variable_values(environment, _SYSTEM_VARIABLES)
    for product in _PRODUCT_FOLDERS:
        if system == "win32":
            shared = environment.get("PROGRAMDATA") or environment.get("ProgramData")
            yield PureWindowsPath(shared or "C:\\ProgramData") / product
        elif system == "darwin":
            yield f"/Library/{product}"
        else:
            yield f"/usr/share/{product}"


def _iterate_variable_values(
    environment: Mapping[str, str], variables: tuple[str, ...]
) -> Iterator[str]:
    for variable in variables:
        if environment.get(variable):
            yield environment[variable]
