"""Where paclets are looked for, on any system.

The places are worked out and not looked at: whether something is there is asked by `installed`.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from paddock.directories import get_data_directory

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PACLET_PATH_VARIABLE = "PADDOCK_PACLET_PATH"
PADDOCK_PACLET_FOLDER = "paclets"
"""In the data directory: paclets that Paddock itself has unpacked."""

_USER_VARIABLES = ("WOLFRAM_USERBASE", "MATHEMATICA_USERBASE")
_SYSTEM_VARIABLES = ("WOLFRAM_BASE", "MATHEMATICA_BASE")
_PRODUCT_FOLDERS = ("Wolfram", "Mathematica")
"""What the folders are called since 14.1, and what they were called before."""
_PACLET_FOLDERS = ("Paclets", "Applications")


def list_search_paths(
    system: str | None = None,
    environment: Mapping[str, str] | None = None,
    *,
    data: str | None = None,
) -> list[PurePath]:
    """The directories and archives in which paclets may be, the first to be preferred.

    Those of `PADDOCK_PACLET_PATH`, then Paddock's own, then those of the Wolfram user and those of
    everybody on the machine.

    Args:
        system: As `sys.platform` says it; this system unless given.
        environment: The variables that count; those of this process unless given.
        data: Paddock's data directory; that of this user unless given.
    """
    system = system or sys.platform
    environment = os.environ if environment is None else environment
    path = PureWindowsPath if system == "win32" else PurePosixPath
    home = path(environment.get("USERPROFILE" if system == "win32" else "HOME") or _get_home(path))
    found: list[PurePath] = list(_iterate_configured_paths(environment, path, home))
    found.append(path(data or get_data_directory()) / PADDOCK_PACLET_FOLDER)
    bases = [
        *_iterate_user_bases(system, environment, home),
        *_iterate_system_bases(system, environment),
    ]
    found += [path(base) / part for base in bases for part in _PACLET_FOLDERS]
    return list(dict.fromkeys(found))


def get_configured_paths() -> str | None:
    """What `PADDOCK_PACLET_PATH` says, in a form that means the same in any directory."""
    path = PureWindowsPath if sys.platform == "win32" else PurePosixPath
    given = _iterate_configured_paths(os.environ, path, path(Path.home()))
    return os.pathsep.join(str(Path(one).absolute()) for one in given) or None


def _get_home(path: type[PurePath]) -> str:
    """The home directory where the environment does not say; nowhere for another system."""
    own = PureWindowsPath if sys.platform == "win32" else PurePosixPath
    return str(Path.home()) if path is own else ""


def _iterate_configured_paths(
    environment: Mapping[str, str], path: type[PurePath], home: PurePath
) -> Iterator[PurePath]:
    separator = ";" if path is PureWindowsPath else ":"
    for one in environment.get(PACLET_PATH_VARIABLE, "").split(separator):
        text = one.strip().strip('"')
        if text == "~" or text.startswith(("~/", "~\\")):
            yield home / text[2:]
        elif text:
            yield path(text)


def _iterate_user_bases(
    system: str, environment: Mapping[str, str], home: PurePath
) -> Iterator[PurePath | str]:
    yield from _iterate_variable_values(environment, _USER_VARIABLES)
    for product in _PRODUCT_FOLDERS:
        if system == "win32":
            roaming = environment.get("APPDATA")
            yield PureWindowsPath(roaming or home / "AppData" / "Roaming") / product
        elif system == "darwin":
            yield home / "Library" / product
        else:
            yield home / f".{product}"


def _iterate_system_bases(system: str, environment: Mapping[str, str]) -> Iterator[PurePath | str]:
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
