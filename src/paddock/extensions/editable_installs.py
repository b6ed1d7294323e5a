"""Location of the packages of an editable install, without importing its import hooks.

The metadata of such a distribution is installed, but its files are in a project directory. Build
tools refer to them in a `.pth` file, in a table of packages in a generated module, or only by the
URL of the project.
"""

from __future__ import annotations

import ast
import csv
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit
from urllib.request import url2pathname

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

_SOURCE_LAYOUTS = ("src", ".")
_MAPPING_VARIABLE = "MAPPING"
"""The name of the package table in the modules that setuptools generates."""
_MAX_FILE_BYTES = 5_000_000
"""Bytes read of a file, far more than any of them needs."""


def find_editable_packages(metadata: Path, package: str) -> Iterator[Path]:
    """Yield the candidate directories of a package, the most likely first.

    Args:
        metadata: The metadata directory of the distribution.
        package: The dotted name of the package.

    Raises:
        ValueError: The list of installed files cannot be parsed.
    """
    package_path = Path(*package.split("."))
    files = [metadata.parent / name for name in _list_recorded_files(metadata)]
    for file in files:
        if file.suffix == ".pth":
            yield from (directory / package_path for directory in _read_pth_directories(file))
    for file in files:
        if file.suffix == ".py" and file.parent == metadata.parent:
            yield from _find_mapped_packages(file, package)
    project = _find_project_directory(metadata)
    if project is not None:
        yield from (project / layout / package_path for layout in _SOURCE_LAYOUTS)


def find_installation_source(name: str) -> str | None:
    """Return the path or URL that a distribution was installed from, or None for an index."""
    try:
        text = distribution(name).read_text("direct_url.json")
    except PackageNotFoundError:
        return None
    direct_url = _parse_direct_url(text or "")
    if direct_url is None:
        return None
    parts = urlsplit(direct_url.url)
    return url2pathname(parts.path) if parts.scheme == "file" else direct_url.url


def _list_recorded_files(metadata: Path) -> list[str]:
    try:
        return [row[0] for row in csv.reader(_read_text(metadata / "RECORD").splitlines()) if row]
    except csv.Error as error:
        raise ValueError(f"RECORD cannot be read: {error}") from None


def _read_pth_directories(file: Path) -> Iterator[Path]:
    for line in _read_text(file).splitlines():
        # Lines that begin with `import` are code, which `site` would run.
        if line.strip() and not line.startswith(("#", "import ", "import\t")):
            yield file.parent / line.strip()


def _find_mapped_packages(file: Path, package: str) -> Iterator[Path]:
    """Yield the directories that a package table maps the package or a parent of it to."""
    for name, directory in _parse_mapping(_read_text(file)).items():
        if package == name:
            yield Path(directory)
        elif package.startswith(f"{name}."):
            yield Path(directory, *package.removeprefix(f"{name}.").split("."))


def _parse_mapping(text: str) -> dict[str, str]:
    """Return the package table in the source of a generated module, without running it."""
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
    """Return the directory of an editable project, from the metadata of PEP 610."""
    direct_url = _parse_direct_url(_read_text(metadata / "direct_url.json"))
    if direct_url is None or not direct_url.dir_info.editable:
        return None
    parts = urlsplit(direct_url.url)
    is_directory = parts.scheme == "file" and parts.path
    return Path(url2pathname(parts.path)) if is_directory else None


def _parse_direct_url(text: str) -> _DirectUrl | None:
    """Return the content of `direct_url.json`, or None if it is absent or invalid."""
    try:
        direct_url = msgspec.json.decode(text, type=_DirectUrl)
        urlsplit(direct_url.url)
    except (ValueError, RecursionError, msgspec.MsgspecError):
        return None
    return direct_url


class _DirectoryInfo(msgspec.Struct):
    editable: bool = False


class _DirectUrl(msgspec.Struct):
    """The content of `direct_url.json` (PEP 610)."""

    url: str
    dir_info: _DirectoryInfo = msgspec.field(default_factory=_DirectoryInfo)


def _read_text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return file.read(_MAX_FILE_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError):  # ValueError: a null character in a path
        return ""
