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

System = Literal["linux", "macos", "windows"]

PROGRAMS = ("WolframKernel", "wolfram", "MathKernel", "wolframscript")
"""Programs that are or start a kernel, the best first."""
WINDOWS_PROGRAMS = ("wolfram", "WolframKernel", "MathKernel", "wolframscript")
"""On Windows `WolframKernel` opens a window, so that `wolfram` is better."""

_PRODUCTS = ("Wolfram", "WolframEngine", "Wolfram Engine", "Mathematica", "Wolfram Desktop")
_VERSION = re.compile(r"\d+(\.\d+)+")
_VERSION_FILE = ".VersionID"
_PARENTS_OF_A_PROGRAM = 6


@dataclass(frozen=True, slots=True)
class Program:
    """A program that is a kernel, or that starts one."""

    path: Path
    how: str
    """How it was found, for people: `on the PATH`, `in the usual place`."""

    @property
    def is_script(self) -> bool:
        """Whether it is `wolframscript`, which has a command line of its own."""
        return self.path.stem.lower() == "wolframscript"

    @property
    def version(self) -> str:
        """The version of the installation that it is part of, or empty when that does not show."""
        return _version(self.path)


@dataclass(frozen=True, slots=True)
class Places:
    """The computer that is looked at."""

    system: System
    environment: Mapping[str, str]
    home: Path
    root: Path = Path("/")
    """What the usual directories are below; another one only in tests."""

    @classmethod
    def here(cls) -> Places:
        """The one that this runs on."""
        systems: dict[str, System] = {"win32": "windows", "darwin": "macos"}
        return cls(systems.get(sys.platform, "linux"), os.environ, Path.home())


def find_program(places: Places | None = None) -> Program | None:
    """The kernel to use, or nothing when there is none.

    When the user has named one that is not there, there is none: another one would be a surprise.
    """
    places = places or Places.here()
    given = places.environment.get(KERNEL_VARIABLE, "")
    if given:
        return _named(given, places)
    return next(_programs(places), None)


def missing_program(places: Places | None = None) -> str:
    """What the user has named as the kernel, when it is not there; else nothing."""
    places = places or Places.here()
    given = places.environment.get(KERNEL_VARIABLE, "")
    return given if given and _named(given, places) is None else ""


def _named(given: str, places: Places) -> Program | None:
    found = shutil.which(str(Path(given).expanduser()), path=places.environment.get("PATH", ""))
    return Program(Path(found), f"named by {KERNEL_VARIABLE}") if found else None


def _programs(places: Places) -> Iterator[Program]:
    names = WINDOWS_PROGRAMS if places.system == "windows" else PROGRAMS
    path = places.environment.get("PATH", "")
    kernels = [name for name in names if name != "wolframscript"]
    for name in kernels:
        found = shutil.which(name, path=path)
        if found:
            yield Program(Path(found), "on the PATH")
    for directory in _installations(places):
        for name in kernels:
            found = shutil.which(name, path=str(directory))
            if found:
                yield Program(Path(found), "in the usual place")
    script = shutil.which("wolframscript", path=path)
    if script:
        yield Program(Path(script), "on the PATH")


def _installations(places: Places) -> list[Path]:
    """Directories in which a kernel may be, newest versions first."""
    if places.system == "macos":
        found = list(_applications(places))
    else:
        found = [
            directory / "Executables" if places.system == "linux" else directory
            for base in _bases(places)
            for product in _PRODUCTS
            for directory in _inside(base / product)
        ]
    return sorted(found, key=lambda directory: _order(_version(directory / "x")), reverse=True)


def _bases(places: Places) -> list[Path]:
    root = places.root
    if places.system == "linux":
        return [root / "usr/local/Wolfram", root / "opt/Wolfram", places.home / "Wolfram"]
    folders = (places.environment.get(name, "") for name in ("ProgramFiles", "ProgramW6432"))
    return [Path(folder) / "Wolfram Research" for folder in dict.fromkeys(folders) if folder]


def _applications(places: Places) -> Iterator[Path]:
    for base in (places.root / "Applications", places.home / "Applications"):
        for product in _PRODUCTS:
            inside = base / f"{product}.app" / "Contents"
            yield inside / "MacOS"
            yield from (player / "MacOS" for player in inside.glob("Resources/*.app/Contents"))


def _inside(directory: Path) -> list[Path]:
    try:
        return [entry for entry in directory.iterdir() if entry.is_dir()]
    except OSError:
        return []


def _version(program: Path) -> str:
    """The version, from the file that installations have, or else from a directory's name."""
    real = Path(os.path.realpath(program))
    directories = list(real.parents)[:_PARENTS_OF_A_PROGRAM]
    for directory in directories:
        try:
            text = (directory / _VERSION_FILE).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        found = _VERSION.search(text)
        if found:
            return found.group()
    names = (_VERSION.fullmatch(directory.name) for directory in directories)
    return next((name.group() for name in names if name), "")


def _order(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part)
