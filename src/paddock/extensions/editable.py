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

if TYPE_CHECKING:
    from collections.abc import Iterator

_LAYOUTS = ("src", ".")
_TABLE = "MAPPING"
"""What setuptools calls the table of packages in the module that it generates."""


def editable_places(metadata: Path, package: str) -> Iterator[Path]:
    """The directories in which a package may be, the likeliest first.

    Args:
        metadata: The distribution's directory of metadata.
        package: The dotted name of the package.
    """
    files = [metadata.parent / name for name in _file_list(metadata)]
    for file in files:
        if file.suffix == ".pth":
            yield from _directories_in(file)
    for file in files:
        if file.suffix == ".py" and file.parent == metadata.parent:
            yield from _mapped(file, package)
    project = _project(metadata)
    if project is not None:
        yield from (project / layout for layout in _LAYOUTS)


def _file_list(metadata: Path) -> list[str]:
    return [row[0] for row in csv.reader(_text(metadata / "RECORD").splitlines()) if row]


def _directories_in(file: Path) -> Iterator[Path]:
    for line in _text(file).splitlines():
        if line.strip() and not line.startswith(("#", "import ", "import\t")):
            yield file.parent / line.strip()


def _mapped(file: Path, package: str) -> Iterator[Path]:
    """The directory from which a package's name leads to where a table says that it is."""
    for name, place in _table(_text(file)).items():
        inner = package.removeprefix(f"{name}.")
        if package == name or inner != package:
            yield _above(Path(place), name)


def _above(place: Path, name: str) -> Path:
    parts = name.split(".")
    return place.parents[len(parts) - 1] if [*place.parts[-len(parts) :]] == parts else place


def _table(text: str) -> dict[str, str]:
    """The table in a generated module, read as text."""
    try:
        statements = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError):
        return {}
    for statement in statements:
        match statement:
            case (
                ast.AnnAssign(target=ast.Name(id=name), value=ast.Dict() as value)
                | ast.Assign(targets=[ast.Name(id=name)], value=ast.Dict() as value)
            ) if name == _TABLE:
                return _literal(value)
    return {}


def _literal(value: ast.Dict) -> dict[str, str]:
    try:
        return msgspec.convert(ast.literal_eval(value), dict[str, str])
    except (ValueError, msgspec.ValidationError):
        return {}


def _project(metadata: Path) -> Path | None:
    """The directory that was installed from."""
    try:
        url = msgspec.json.decode(_text(metadata / "direct_url.json"), type=dict[str, object])
    except msgspec.DecodeError:
        return None
    parts = urlsplit(str(url.get("url")))
    return Path(url2pathname(parts.path)) if parts.scheme == "file" and parts.path else None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
