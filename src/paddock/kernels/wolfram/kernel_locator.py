"""Search for an installed Wolfram kernel, without starting any program.

The environment variable comes first, then the PATH, then the usual installation directories, newest
version first.
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
"""Environment variable that specifies a kernel program: a path, or a name on the PATH."""

OperatingSystem = Literal["linux", "macos", "windows"]

KERNEL_PROGRAMS = ("WolframKernel", "wolfram", "MathKernel", "wolframscript")
"""Programs that are kernels or start one, in order of preference."""
WINDOWS_KERNEL_PROGRAMS = ("wolfram", "WolframKernel", "MathKernel", "wolframscript")
"""On Windows, `WolframKernel` opens a window, so `wolfram` is preferred."""

_PRODUCT_NAMES = ("Wolfram", "WolframEngine", "Wolfram Engine", "Mathematica", "Wolfram Desktop")
_VERSION_PATTERN = re.compile(r"\d+(\.\d+)+")
_VERSION_FILE = ".VersionID"
_PROGRAM_FOLDER_VARIABLES = ("ProgramFiles", "ProgramW6432")
_MAX_PARENT_DIRECTORIES = 6


@dataclass(frozen=True, slots=True)
class KernelProgram:
    """A program that is a Wolfram kernel, or that starts one."""

    path: Path
    origin: str
    """How it was found, for example `on the PATH` or `in the usual place`."""

    @property
    def is_script(self) -> bool:
        """Whether the program is `wolframscript`, whose command line arguments differ."""
        return self.path.stem.lower() == "wolframscript"

    @property
    def version(self) -> str:
        """The version of the installation that contains the program, or empty if unknown."""
        return _read_version(self.path)


@dataclass(frozen=True, slots=True)
class SearchLocations:
    """The environment in which to search for a Wolfram kernel: system, variables, directories."""

    system: OperatingSystem
    environment: Mapping[str, str]
    home: Path
    root: Path = Path("/")
    """The directory that contains system directories such as `usr`. Tests replace it."""

    @classmethod
    def detect(cls) -> SearchLocations:
        """Return the search environment of this process."""
        systems: dict[str, OperatingSystem] = {"win32": "windows", "darwin": "macos"}
        return cls(systems.get(sys.platform, "linux"), os.environ, Path.home())


def find_kernel_program(locations: SearchLocations | None = None) -> KernelProgram | None:
    """Return the Wolfram kernel to use, or None if this machine has no kernel.

    If the environment variable names a program that does not exist, the result is None, because
    another kernel could evaluate with the wrong version.
    """
    locations = locations or SearchLocations.detect()
    if locations.environment.get(KERNEL_VARIABLE):
        return _find_configured_program(locations)
    return next(_iter_programs(locations), None)


def get_missing_program(locations: SearchLocations | None = None) -> str:
    """Return the environment variable's value if its program is missing, else an empty string."""
    locations = locations or SearchLocations.detect()
    configured = locations.environment.get(KERNEL_VARIABLE, "")
    return "" if _find_configured_program(locations) is not None else configured


def _find_configured_program(locations: SearchLocations) -> KernelProgram | None:
    """Return the program named by the environment variable, or None if it does not exist."""
    name = locations.environment.get(KERNEL_VARIABLE, "")
    origin = f"named by {KERNEL_VARIABLE}"
    search_path = locations.environment.get("PATH", "")
    expanded_name = str(Path(name).expanduser()) if name else ""
    return _find_program(expanded_name, search_path, origin)


def _find_program(name: str, search_path: str, origin: str) -> KernelProgram | None:
    path = shutil.which(name, path=search_path) if name else None
    return KernelProgram(Path(path), origin) if path else None


def _iter_programs(locations: SearchLocations) -> Iterator[KernelProgram]:
    """Yield the kernel programs on this machine in order of preference."""
    names = WINDOWS_KERNEL_PROGRAMS if locations.system == "windows" else KERNEL_PROGRAMS
    # wolframscript comes last, because it starts a kernel, which is slower than running one
    # directly.
    *kernel_names, script_name = names
    on_path = (locations.environment.get("PATH", ""), "on the PATH")
    installed = [
        (str(directory), "in the usual place") for directory in _list_kernel_directories(locations)
    ]
    candidates = [
        (name, search_path, origin)
        for search_path, origin in (on_path, *installed)
        for name in kernel_names
    ]
    for candidate in (*candidates, (script_name, *on_path)):
        if (program := _find_program(*candidate)) is not None:
            yield program


def _list_kernel_directories(locations: SearchLocations) -> list[Path]:
    """Return directories in Wolfram installations that may contain a kernel program.

    The newest version comes first. An example is `/usr/local/Wolfram/Wolfram/14.1/Executables`.
    """
    root, home = locations.root, locations.home
    match locations.system:
        case "linux":
            parents = [root / "usr/local/Wolfram", root / "opt/Wolfram", home / "Wolfram"]
            patterns = ["{product}/*/Executables"]
        case "macos":
            parents = [root / "Applications", home / "Applications"]
            # Newer versions contain the kernel in an application within the application.
            patterns = [
                "{product}.app/Contents/MacOS",
                "{product}.app/Contents/Resources/*.app/Contents/MacOS",
            ]
        case "windows":
            variables = (locations.environment.get(name) for name in _PROGRAM_FOLDER_VARIABLES)
            folders = dict.fromkeys(folder for folder in variables if folder)
            parents = [Path(folder) / "Wolfram Research" for folder in folders]
            patterns = ["{product}/*"]
    directories = [
        directory
        for parent in parents
        for product in _PRODUCT_NAMES
        for pattern in patterns
        for directory in parent.glob(pattern.format(product=product))
    ]
    return sorted(
        directories,
        key=lambda directory: _parse_version(_read_version(directory / "x")),
        reverse=True,
    )


def _read_version(program: Path) -> str:
    """Return the version of the Wolfram installation that contains a program.

    It is read from the installation's version file, or else from the name of a directory. The
    result is empty if the version is unknown.
    """
    real_path = Path(os.path.realpath(program))
    directories = list(real_path.parents)[:_MAX_PARENT_DIRECTORIES]
    for directory in directories:
        try:
            text = (directory / _VERSION_FILE).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        match = _VERSION_PATTERN.search(text)
        if match:
            return match.group()
    # Without a version file, a directory such as `13.3` may show the version.
    matches = (_VERSION_PATTERN.fullmatch(directory.name) for directory in directories)
    return next((match.group() for match in matches if match), "")


def _parse_version(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part)
