"""Paclet archives: ZIP files with a single top-level folder.

Archives are reproducible: entries are sorted, and file times are not recorded.
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
"""Folders excluded at any depth, in addition to hidden ones."""
NAME_PATTERN = re.compile(r"[A-Za-z][A-Za-z0-9_]*(?:/[A-Za-z][A-Za-z0-9_]*)?")
VERSION_PATTERN = re.compile(r"\d+(?:\.\d+)*")
_EARLIEST_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
_FILE_MODE, _EXECUTABLE_MODE = 0o644 << 16, 0o755 << 16


class PacletArchiveFiles(NamedTuple):
    """The files to pack into a paclet archive, and the names of excluded files."""

    files: list[Path]
    excluded: list[str]
    """Names of excluded files and folders, except hidden ones and the build folder."""


def get_archive_name(name: str, version: str) -> str:
    """Return the file name of an archive: `Publisher__Name-1.0.paclet`."""
    return f"{name.replace('/', '__')}-{version}{ARCHIVE_SUFFIX}"


def list_archive_files(directory: Path) -> PacletArchiveFiles:
    """Return the files of a paclet directory that belong in its archive, and the excluded ones.

    Hidden files, archives, build artifacts and special files are excluded, as are links to
    directories or to targets outside the paclet.

    Raises:
        OSError: A directory cannot be listed.
    """
    root = directory.resolve()
    archive_files = PacletArchiveFiles([], [])
    _collect_files(root, root, archive_files)
    archive_files.files.sort(key=lambda file: file.relative_to(root).as_posix())
    archive_files.excluded.sort()
    return archive_files


def summarize_names(names: list[str]) -> str:
    """Return the first ten names on one line."""
    return ", ".join(names[:10]) + (" …" if len(names) > 10 else "")


def _collect_files(folder: Path, root: Path, archive_files: PacletArchiveFiles) -> None:
    """Sort the files in a folder and its subfolders into files to pack and excluded files.

    Args:
        folder: The folder.
        root: The directory of the paclet.
        archive_files: The packed and the excluded files. This function adds to both.
    """
    for path in folder.iterdir():
        if path.name.startswith(".") or path == root / BUILD_FOLDER:
            continue
        # Do not follow links to directories, because they may lead out of the paclet or in
        # circles.
        if path.is_dir() and not path.is_symlink() and path.name not in EXCLUDED_FOLDERS:
            _collect_files(path, root, archive_files)
        elif _is_packable(path, root):
            archive_files.files.append(path)
        else:
            archive_files.excluded.append(path.relative_to(root).as_posix())


def _is_packable(path: Path, root: Path) -> bool:
    # Links to files outside the paclet would put private files into the archive.
    try:
        is_inside = path.resolve(strict=True).is_relative_to(root)
    except (OSError, RuntimeError):  # RuntimeError: a link that points to itself
        return False
    return is_inside and path.is_file() and path.suffix != ARCHIVE_SUFFIX


def write_archive(directory: Path, name: str, version: str, files: list[Path]) -> Path:
    """Write a paclet's archive, a ZIP file, to its build folder and return the path.

    Identical files produce identical archives.

    Args:
        directory: The directory of the paclet.
        name: The name of the paclet, which can include a publisher: `Publisher/Name`.
        version: The version of the paclet.
        files: The files to pack.

    Raises:
        OSError: A file cannot be read, or the archive cannot be written or would be outside
            the paclet.
    """
    root = directory.resolve()
    top_folder = name.replace("/", "__")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry_name = f"{top_folder}/{file.relative_to(root).as_posix()}"
            # All entries get the same time, so that file times do not affect the archive.
            entry = zipfile.ZipInfo(entry_name, _EARLIEST_ZIP_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            is_executable = file.stat().st_mode & stat.S_IXUSR
            entry.external_attr = _EXECUTABLE_MODE if is_executable else _FILE_MODE
            archive.writestr(entry, file.read_bytes())
    archive_path = _get_archive_path(root, get_archive_name(name, version))
    # Write atomically, so that a failed build never leaves a partial archive.
    write_atomically(archive_path, buffer.getvalue(), mode=0o644)
    return archive_path


def _get_archive_path(root: Path, name: str) -> Path:
    """Return the path of an archive in a paclet's build folder.

    An existing link at this path is removed, because writing would overwrite its target.

    Raises:
        OSError: The build folder is a link to a location outside the paclet.
    """
    folder = root / BUILD_FOLDER
    try:
        is_inside = folder.resolve().is_relative_to(root)
    except RuntimeError:
        is_inside = False
    if not is_inside:
        raise OSError(errno.EPERM, "The build folder is a link out of the paclet", str(folder))
    archive_path = folder / name
    if archive_path.is_symlink():
        archive_path.unlink()
    return archive_path
