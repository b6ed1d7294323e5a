"""Where the packages of an editable install are, without importing what leads Python to them.

Such a distribution has its metadata among the installed ones and its files elsewhere. Tools have
several ways to say where: a `.pth` file with a directory, a generated module with a table of
packages, and always the project that was installed.
"""

from __future__ import annotations

import ast
import csv
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

import msgspec

from paddock.extensions.data_formats import parse_json

if TYPE_CHECKING:
    from collections.abc import Iterator

_SOURCE_LAYOUTS = ("src", ".")
_MAPPING_VARIABLE = "MAPPING"
"""What setuptools calls the table of packages in the module that it generates."""
_MAX_FILE_BYTES = 5_000_000
"""Bytes of a file that are read: more than any of them has."""


def find_editable_packages(metadata: Path, package: str) -> Iterator[Path]:
    """The directories that a package may be, the likeliest first.

    Args:
        metadata: The distribution's directory of metadata.
        package: The dotted name of the package.

    Raises:
        ValueError: when what leads to them makes no sense.
    """
    inner = Path(*package.split("."))
    files = [metadata.parent / name for name in _list_recorded_files(metadata)]
    for file in files:
        if file.suffix == ".pth":
            yield from (directory / inner for directory in _read_pth_directories(file))
    for file in files:
        if file.suffix == ".py" and file.parent == metadata.parent:
            yield from _find_mapped_packages(file, package)
    project = _find_project_directory(metadata)
    if project is not None:
        yield from (project / layout / inner for layout in _SOURCE_LAYOUTS)


def _list_recorded_files(metadata: Path) -> list[str]:
    try:
        return [row[0] for row in csv.reader(_read_text(metadata / "RECORD").splitlines()) if row]
    except csv.Error as error:
        raise ValueError(f"RECORD cannot be read: {error}") from None


def _read_pth_directories(file: Path) -> Iterator[Path]:
    for line in _read_text(file).splitlines():
        if line.strip() and not line.startswith(("#", "import ", "import\t")):
            yield file.parent / line.strip()


def _find_mapped_packages(file: Path, package: str) -> Iterator[Path]:
    """Where a table says that a package is, or one that it is in."""
    for name, place in _parse_mapping(_read_text(file)).items():
        if package == name:
            yield Path(place)
        elif package.startswith(f"{name}."):
            yield Path(place, *package.removeprefix(f"{name}.").split("."))


def _parse_mapping(text: str) -> dict[str, str]:
    """The table in a generated module, read as text."""
    try:
        statements = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    for statement in statements:
        match statement:
            case (
                ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict() as value)
                | ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as value)
            ) if name == _MAPPING_VARIABLE:
                return _evaluate_mapping(value)
    return {}


def _evaluate_mapping(value: ast.Dict) -> dict[str, str]:
    try:
        return msgspec.convert(ast.literal_eval(value), dict[str, str])
    except (ValueError, TypeError, RecursionError, MemoryError, msgspec.ValidationError):
        return {}


def _find_project_directory(metadata: Path) -> Path | None:
    """The directory that was installed from, if it still counts."""
    text = _read_text(metadata / "direct_url.json")
    if not text:
        return None
    try:
        said = msgspec.convert(parse_json(text), _DirectUrl)
        parts = urlsplit(said.url)
    except (ValueError, msgspec.ValidationError):
        return None
    if not said.dir_info.editable or parts.scheme != "file" or not parts.path:
        return None
    return Path(url2pathname(parts.path))


class _DirectoryInfo(msgspec.Struct):
    editable: bool = False


class _DirectUrl(msgspec.Struct):
    """Where a distribution was installed from, as the installer has written it."""

    url: str
    dir_info: _DirectoryInfo = msgspec.field(default_factory=_DirectoryInfo)


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MAX_FILE_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):  # the latter for names that no file can have
        return ""
