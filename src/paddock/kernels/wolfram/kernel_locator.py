"""Finding a Wolfram kernel on this machine, by looking and never by starting one.

The user's word comes first, then the PATH, then the directories into which Wolfram products are
installed, newest first.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

KERNEL_VARIABLE = "PADDOCK_WOLFRAM_KERNEL"
"""Names the program of a kernel, as a path or as a word on the PATH."""

OperatingSystem = Literal["linux", "macos", "windows"]

KERNEL_PROGRAMS = ("WolframKernel", "wolfram", "MathKernel", "wolframscript")
"""Programs that are or start a kernel, the best first."""
WINDOWS_KERNEL_PROGRAMS = ("wolfram", "WolframKernel", "MathKernel", "wolframscript")
"""On Windows `WolframKernel` opens a window, so that `wolfram` is better."""

_PRODUCT_NAMES = ("Wolfram", "WolframEngine", "Wolfram Engine", "Mathematica", "Wolfram Desktop")
_VERSION_PATTERN = re.compile(r"\d+(\.\d+)+")
_VERSION_FILE = ".VersionID"
_MAX_PARENT_DIRECTORIES = 6


@dataclass(frozen=True, slots=True)
class KernelProgram:
    """A program that is a kernel, or that starts one."""

    path: Path
    origin: str
    """How it was found, for people: `on the PATH`, `in the usual place`."""

    @property
    def is_script(self) -> bool:
        """Whether it is `wolframscript`, which has a command line of its own."""
        return self.path.stem.lower() == "wolframscript"

    @property
    def version(self) -> str:
        """The version of the installation that it is part of, or empty when that does not show."""
        return _read_version(self.path)


@dataclass(frozen=True, slots=True)
class SearchLocations:
    """The computer that is looked at."""

    system: OperatingSystem
    environment: Mapping[str, str]
    home: Path
    root: Path = Path("/")
    """What the usual directories are below; another one only in tests."""

    @classmethod
    def detect(cls) -> SearchLocations:
        """The one that this runs on."""
        systems: dict[str, OperatingSystem] = {"win32": "windows", "darwin": "macos"}
        return cls(systems.get(sys.platform, "linux"), os.environ, Path.home())


def find_kernel_program(places: SearchLocations | None = None) -> KernelProgram | None:
    """The kernel to use, or nothing when there is none.

    When the user has named one that is not there, there is none: another one would be a surprise.
    """
    places = places or SearchLocations.detect()
    given = places.environment.get(KERNEL_VARIABLE, "")
    if given:
        return _find_configured_program(given, places)
    return next(_iter_programs(places), None)


def get_missing_program(places: SearchLocations | None = None) -> str:
    """What the user has named as the kernel, when it is not there; else nothing."""
    places = places or SearchLocations.detect()
    given = places.environment.get(KERNEL_VARIABLE, "")
    return given if given and _find_configured_program(given, places) is None else ""


def _find_configured_program(given: str, places: SearchLocations) -> KernelProgram | None:
    found = shutil.which(str(Path(given).expanduser()), path=places.environment.get("PATH", ""))
    return KernelProgram(Path(found), f"named by {KERNEL_VARIABLE}") if found else None


def _iter_programs(places: SearchLocations) -> Iterator[KernelProgram]:
    names = WINDOWS_KERNEL_PROGRAMS if places.system == "windows" else KERNEL_PROGRAMS
    path = places.environment.get("PATH", "")
    kernels = [name for name in names if name != "wolframscript"]
    for name in kernels:
        found = shutil.which(name, path=path)
        if found:
            yield KernelProgram(Path(found), "on the PATH")
    for directory in _list_installations(places):
        for name in kernels:
            found = shutil.which(name, path=str(directory))
            if found:
                yield KernelProgram(Path(found), "in the usual place")
    script = shutil.which("wolframscript", path=path)
    if script:
        yield KernelProgram(Path(script), "on the PATH")


def _list_installations(places: SearchLocations) -> list[Path]:
    """Directories in which a kernel may be, newest versions first."""
    if places.system == "macos":
        found = list(_iter_macos_directories(places))
    else:
        found = [
            directory / "Executables" if places.system == "linux" else directory
            for base in _list_install_roots(places)
            for product in _PRODUCT_NAMES
            for directory in _list_subdirectories(base / product)
        ]
    return sorted(
        found, key=lambda directory: _parse_version(_read_version(directory / "x")), reverse=True
    )


def _list_install_roots(places: SearchLocations) -> list[Path]:
    root = places.root
    if places.system == "linux":
        return [root / "usr/local/Wolfram", root / "opt/Wolfram", places.home / "Wolfram"]
    folders = (places.environment.get(name, "") for name in ("ProgramFiles", "ProgramW6432"))
    return [Path(folder) / "Wolfram Research" for folder in dict.fromkeys(folders) if folder]


def _iter_macos_directories(places: SearchLocations) -> Iterator[Path]:
    for base in (places.root / "Applications", places.home / "Applications"):
        for product in _PRODUCT_NAMES:
            inside = base / f"{product}.app" / "Contents"
            yield inside / "MacOS"
            yield from (player / "MacOS" for player in inside.glob("Resources/*.app/Contents"))


def _list_subdirectories(directory: Path) -> list[Path]:
    try:
        return [entry for entry in directory.iterdir() if entry.is_dir()]
    except OSError:
        return []


def _read_version(program: Path) -> str:
    """The version, from the file that installations have, or else from a directory's name."""
    real = Path(os.path.realpath(program))
    directories = list(real.parents)[:_MAX_PARENT_DIRECTORIES]
    for directory in directories:
        try:
            text = (directory / _VERSION_FILE).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        found = _VERSION_PATTERN.search(text)
        if found:
            return found.group()
    names = (_VERSION_PATTERN.fullmatch(directory.name) for directory in directories)
    return next((name.group() for name in names if name), "")


def _parse_version(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part)
