"""What a project says of the distribution that is to be built of it, in any of its files."""

from __future__ import annotations

from configparser import ConfigParser
from configparser import Error as ConfigError
from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import LoadError
from paddock.extensions.distributions import GROUP
from paddock.extensions.plain_data import parse_toml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from paddock.validation.finding import Findings

PROJECT = "pyproject.toml"
SETUP = "setup.cfg"
SCRIPT = "setup.py"
_REMEDY = f'add [project.entry-points."{GROUP}"] with NAME = "PACKAGE" to {PROJECT}'


class Project(NamedTuple):
    """What is known of a project."""

    file: Path
    """The file that says which extensions there are, or should."""
    points: Mapping[str, object]
    """The entry points in our group."""
    name: str | None = None
    version: str | None = None


def is_project(directory: Path) -> bool:
    """Whether a directory is that of a project."""
    return any((directory / name).is_file() for name in (PROJECT, SETUP, SCRIPT))


def read_project(directory: Path, findings: Findings) -> Project | None:
    """What a project says; None after telling that it cannot be read."""
    found = Project(directory / PROJECT, {})
    try:
        if found.file.is_file():
            found = _from_toml(found.file)
        if not found.points and (directory / SETUP).is_file():
            found = _from_setup(directory / SETUP, found)
    except (OSError, ValueError, ConfigError) as error:
        reason = LoadError(f"cannot be read: {error}", hint="mend it there")
        findings.add_error("unreadable-manifest", reason, str(found.file))
        return None
    if found.points:
        return found
    if (directory / SCRIPT).is_file():
        findings.add(
            "unread-entry-points",
            "is not run, so nothing is known of the entry points in it",
            str(directory / SCRIPT),
            f"{_REMEDY}, or validate the wheel",
        )
    else:
        message = f"has no entry point in {GROUP}"
        findings.add("no-entry-point", message, str(found.file), _REMEDY)
    return found


def _from_toml(file: Path) -> Project:
    table = parse_toml(file.read_bytes())
    points = _at(table, "project", "entry-points", GROUP)
    points = points or _at(table, "tool", "poetry", "plugins", GROUP)
    name, version = _at(table, "project", "name"), _at(table, "project", "version")
    return Project(
        file,
        points if isinstance(points, dict) else {},
        name if isinstance(name, str) else None,
        version if isinstance(version, str) else None,
    )


def _from_setup(file: Path, known: Project) -> Project:
    """The same with what the older file says, which setuptools reads too."""
    said = ConfigParser(interpolation=None)
    said.read_string(file.read_text(encoding="utf-8-sig"), str(file))
    lines = said.get("options.entry_points", GROUP, fallback="").splitlines()
    pairs = [line.partition("=") for line in map(str.strip, lines) if line and line[0] not in "#;"]
    points = {name.strip(): value.strip() for name, _, value in pairs}
    name = known.name or said.get("metadata", "name", fallback=None)
    version = known.version or said.get("metadata", "version", fallback=None)
    return Project(file if points else known.file, points, name, version)


def _at(table: object, *keys: str) -> object:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table
