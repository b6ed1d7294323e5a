"""Paclet archives: which files go in, what they are called, and writing them.

An archive is a zip file with one folder in it. The same files always make the same archive: names
in order, and no times of files.
"""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING

from paddock.files import write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SUFFIX = ".paclet"
BUILD_FOLDER = "build"
LEFT_OUT = frozenset({BUILD_FOLDER, "__pycache__", "node_modules"})
"""Folders that are not part of a paclet, besides those whose names begin with a dot."""
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:/[A-Za-z][A-Za-z0-9_]*)?")
VERSION = re.compile(r"\d+(?:\.\d+)*")
_EARLIEST = (1980, 1, 1, 0, 0, 0)
_MODE = 0o644 << 16


def archive_name(name: str, version: str) -> str:
    """What the archive of a paclet is called: `Publisher__Name-1.0.paclet`."""
    return f"{name.replace('/', '__')}-{version}{SUFFIX}"


def packed_files(directory: Path) -> list[Path]:
    """The files of a paclet that go into its archive, in order.

    Hidden ones, earlier archives, what builds leave behind, and links that lead out of the
    directory are left out.
    """
    root = directory.resolve()
    return sorted(_inside(root, root), key=lambda file: file.relative_to(root).as_posix())


def _inside(folder: Path, root: Path) -> Iterator[Path]:
    for place in folder.iterdir():
        if place.name.startswith(".") or not place.resolve().is_relative_to(root):
            continue
        if place.is_dir() and not place.is_symlink():
            if place.name not in LEFT_OUT:
                yield from _inside(place, root)
        elif place.is_file() and place.suffix != SUFFIX:
            yield place


def write_archive(directory: Path, name: str, version: str, files: list[Path]) -> Path:
    """Pack files of a paclet into an archive below its directory, and give its path."""
    root = directory.resolve()
    folder = name.replace("/", "__")
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry = zipfile.ZipInfo(f"{folder}/{file.relative_to(root).as_posix()}", _EARLIEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = _MODE
            archive.writestr(entry, file.read_bytes())
    place = root / BUILD_FOLDER / archive_name(name, version)
    write_atomically(place, data.getvalue(), mode=0o644)
    return place
