"""What a test run is given: which tests, and the directory that their project begins in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.authoring.failures import ToolError
from paddock.toolkits.paths import resolve_path, get_working_directory

if TYPE_CHECKING:
    from pathlib import Path

    from paddock.authoring.context import Context

_SEPARATOR_PATTERN = re.compile(r",(?![^\[]*\])")
"""Not one in the parameters of a test: `test_sum[1,2]`."""
_PROJECT_MARKERS = ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "setup.py", ".git")


class PythonTestsNotFoundError(ToolError):
    """There are no such tests."""

    code = "python-tests-not-found"


class PytestTargets(NamedTuple):
    """What to run, and where."""

    arguments: list[str]
    """Paths, and names of single tests, as pytest takes them; none for all that the project has."""
    directory: Path
    """Where the run begins: the directory of the project."""
    interpreter_directory: Path
    """Where the interpreter is looked for first."""


def resolve_targets(paths: str, ctx: Context) -> PytestTargets:
    """The tests that an argument names.

    Raises:
        PythonTestsNotFoundError: when there is no such file or directory.
        FolderError: when it lies where tools may not go.
    """
    top = get_working_directory(ctx)
    arguments: list[str] = []
    places: list[Path] = []
    for given in (part.strip() for part in _SEPARATOR_PATTERN.split(paths)):
        if not given:
            continue
        path, separator, test = given.partition("::")
        place = resolve_path(path, ctx)
        if not place.exists():
            raise PythonTestsNotFoundError(
                f"There is no file or directory {path}",
                where=str(place),
                hint="relative paths begin in the directory that the client works in",
            )
        arguments.append(f"{place}{separator}{test}")
        places.append(place)
    if not places:
        return PytestTargets([], top, top)
    near = places[0] if places[0].is_dir() else places[0].parent
    return PytestTargets(arguments, _find_project_directory(near, top), near)


def _find_project_directory(near: Path, top: Path) -> Path:
    """The directory of the project that a directory belongs to."""
    for folder in (near, *near.parents):
        if any((folder / mark).exists() for mark in _PROJECT_MARKERS):
            return folder
        if folder == top:
            break
    return top if near.is_relative_to(top) else near
