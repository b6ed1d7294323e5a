"""Paclet archives: which files go in, what they are called, and writing them.

An archive is a zip file with one folder in it. The same files always make the same archive: names
in order, and no times of files.
"""

from __future__ import annotations

import errno
import io
import re
import stat
import zipfile
from typing import TYPE_CHECKING, NamedTuple

from paddock.files import write_atomically

if TYPE_CHECKING:
    from pathlib import Path

ARCHIVE_SUFFIX = ".paclet"
BUILD_FOLDER = "build"
EXCLUDED_FOLDERS = frozenset({"__pycache__", "node_modules"})
"""Folders that are not part of a paclet, wherever they are, besides hidden ones."""
NAME_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:/[A-Za-z][A-Za-z0-9_]*)?")
VERSION_PATTERN = re.compile(r"\d+(?:\.\d+)*")
_EARLIEST_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
_FILE_MODE, _EXECUTABLE_MODE = 0o644 << 16, 0o755 << 16


class PacletArchiveFiles(NamedTuple):
    """What of a paclet's directory goes into its archive."""

    files: list[Path]
    excluded: list[str]
    """The names, from the directory, of what does not and is neither hidden nor the last build."""


def get_archive_name(name: str, version: str) -> str:
    """What the archive of a paclet is called: `Publisher__Name-1.0.paclet`."""
    return f"{name.replace('/', '__')}-{version}{ARCHIVE_SUFFIX}"


def list_archive_files(directory: Path) -> PacletArchiveFiles:
    """The files of a paclet that go into its archive, in order, and what is left out.

    Left out are hidden files, archives, what builds leave behind, links that lead out of the
    directory or to directories, and what is no file.

    Raises:
        OSError: when a directory cannot be listed.
    """
    root = directory.resolve()
    found = PacletArchiveFiles([], [])
    _collect_files(root, root, found)
    found.files.sort(key=lambda file: file.relative_to(root).as_posix())
    found.excluded.sort()
    return found


def summarize_names(names: list[str]) -> str:
    """Some names in one line, the first of them if there are many."""
    return ", ".join(names[:10]) + (" …" if len(names) > 10 else "")


def _collect_files(folder: Path, root: Path, found: PacletArchiveFiles) -> None:
    for place in folder.iterdir():
        if place.name.startswith(".") or place == root / BUILD_FOLDER:
            continue
        if place.is_dir() and not place.is_symlink() and place.name not in EXCLUDED_FOLDERS:
            _collect_files(place, root, found)
        elif _is_packable(place, root):
            found.files.append(place)
        else:
            found.excluded.append(place.relative_to(root).as_posix())


def _is_packable(place: Path, root: Path) -> bool:
    try:
        is_inside = place.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):  # such as a link that leads to itself
        return False
    return is_inside and place.is_file() and place.suffix != ARCHIVE_SUFFIX


def write_archive(directory: Path, name: str, version: str, files: list[Path]) -> Path:
    """Pack files of a paclet into an archive below its directory, and give its path.

    Raises:
        OSError: when a file cannot be read, or the archive cannot be written or would be elsewhere.
    """
    root = directory.resolve()
    folder = name.replace("/", "__")
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry = zipfile.ZipInfo(
                f"{folder}/{file.relative_to(root).as_posix()}", _EARLIEST_ZIP_TIME
            )
            entry.compress_type = zipfile.ZIP_DEFLATED
            is_executable = file.stat().st_mode & stat.S_IXUSR
            entry.external_attr = _EXECUTABLE_MODE if is_executable else _FILE_MODE
            archive.writestr(entry, file.read_bytes())
    place = _get_archive_path(root, get_archive_name(name, version))
    write_atomically(place, data.getvalue(), mode=0o644)
    return place


def _get_archive_path(root: Path, name: str) -> Path:
    """Where the archive goes, which links must not lead to other files."""
    folder = root / BUILD_FOLDER
    try:
        is_inside = folder.resolve().is_relative_to(root)
    except RuntimeError:
        is_inside = False
    if not is_inside:
        raise OSError(errno.EPERM, "It is a link that leads out of the paclet", str(folder))
    place = folder / name
    if place.is_symlink():
        place.unlink()
    return place
