"""What a project says of the distribution that is to be built of it, in any of its files."""

from __future__ import annotations

from configparser import ConfigParser
from configparser import Error as ConfigError
from typing import TYPE_CHECKING, NamedTuple

from paddock.errors import LoadError
from paddock.extensions.distributions import ENTRY_POINT_GROUP
from paddock.extensions.plain_data import parse_toml

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from paddock.validation.finding import FindingCollector

PROJECT_FILE = "pyproject.toml"
SETUP_FILE = "setup.cfg"
SETUP_SCRIPT = "setup.py"
_ENTRY_POINT_REMEDY = f'add [project.entry-points."{ENTRY_POINT_GROUP}"] with NAME = "PACKAGE" to {PROJECT_FILE}'


class ProjectMetadata(NamedTuple):
    """What is known of a project."""

    file: Path
    """The file that says which extensions there are, or should."""
    entry_points: Mapping[str, object]
    """The entry points in our group."""
    name: str | None = None
    version: str | None = None


def is_project_directory(directory: Path) -> bool:
    """Whether a directory is that of a project."""
    return any((directory / name).is_file() for name in (PROJECT_FILE, SETUP_FILE, SETUP_SCRIPT))


def read_project_metadata(directory: Path, findings: FindingCollector) -> ProjectMetadata | None:
    """What a project says; None after telling that it cannot be read."""
    found = ProjectMetadata(directory / PROJECT_FILE, {})
    try:
        if found.file.is_file():
            found = _read_pyproject(found.file)
        if not found.entry_points and (directory / SETUP_FILE).is_file():
            found = _read_setup_cfg(directory / SETUP_FILE, found)
    except (OSError, ValueError, ConfigError) as error:
        reason = LoadError(f"cannot be read: {error}", hint="mend it there")
        findings.add_error("unreadable-manifest", reason, str(found.file))
        return None
    if found.entry_points:
        return found
    if (directory / SETUP_SCRIPT).is_file():
        findings.add(
            "unread-entry-points",
            "is not run, so nothing is known of the entry points in it",
            str(directory / SETUP_SCRIPT),
            f"{_ENTRY_POINT_REMEDY}, or validate the wheel",
        )
    else:
        message = f"has no entry point in {ENTRY_POINT_GROUP}"
        findings.add("no-entry-point", message, str(found.file), _ENTRY_POINT_REMEDY)
    return found


def _read_pyproject(file: Path) -> ProjectMetadata:
    table = parse_toml(file.read_bytes())
    points = _get_nested(table, "project", "entry-points", ENTRY_POINT_GROUP)
    points = points or _get_nested(table, "tool", "poetry", "plugins", ENTRY_POINT_GROUP)
    name, version = _get_nested(table, "project", "name"), _get_nested(table, "project", "version")
    return ProjectMetadata(
        file,
        points if isinstance(points, dict) else {},
        name if isinstance(name, str) else None,
        version if isinstance(version, str) else None,
    )


def _read_setup_cfg(file: Path, known: ProjectMetadata) -> ProjectMetadata:
    """The same with what the older file says, which setuptools reads too."""
    said = ConfigParser(interpolation=None)
    said.read_string(file.read_text(encoding="utf-8-sig"), str(file))
    lines = said.get("options.entry_points", ENTRY_POINT_GROUP, fallback="").splitlines()
    pairs = [line.partition("=") for line in map(str.strip, lines) if line and line[0] not in "#;"]
    points = {name.strip(): value.strip() for name, _, value in pairs}
    name = known.name or said.get("metadata", "name", fallback=None)
    version = known.version or said.get("metadata", "version", fallback=None)
    return ProjectMetadata(file if points else known.file, points, name, version)


def _get_nested(table: object, *keys: str) -> object:
    for key in keys:
        table = table.get(key) if isinstance(table, dict) else None
    return table
