"""Access to an extension's files in a directory or archive, by names with slashes.

Archived paclets and wheels are read without unpacking them.
"""

from __future__ import annotations

import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from paddock.errors import LoadError
from paddock.extensions.definition_files import ParseCache
from paddock.extensions.paclets.archives import find_common_folder, open_archive
from paddock.extensions.paclets.search_paths import PACLET_SUFFIX

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_MAX_SMALL_FILE_BYTES = 50_000
"""Maximum size of a file that is read together with the others in its folder."""
_MAX_FOLDER_READ_BYTES = 5_000_000
_folder_cache: ParseCache[dict[str, bytes]] = ParseCache()


class ExtensionFiles(Protocol):
    """Interface to the files of an extension in a directory or archive.

    Files have relative names with slashes, such as `AgentTools/Tools/Plot.wl`.
    """

    path: Path
    """The directory or the archive."""

    def has_file(self, name: str) -> bool:
        """Return whether the file exists."""
        ...

    def has_folder(self, name: str) -> bool:
        """Return whether the directory exists and is not empty."""
        ...

    def list_file_names(self, folder: str) -> list[str]:
        """Return the sorted names of the files directly in a directory, or [] if it is absent."""
        ...

    def get_backing_file(self, name: str) -> Path:
        """Return the path on disk to watch for changes: the file itself, or the archive."""
        ...

    def read_file(self, name: str, limit: int) -> bytes:
        """Return the contents of a file.

        Raises:
            LoadError: The file cannot be read, or has more than `limit` bytes.
        """
        ...


def open_extension_files(path: Path) -> ExtensionFiles:
    """Open the files of a paclet, which is a directory or a `.paclet` archive.

    Raises:
        ArchiveError: The archive cannot be read or is unsafe.
    """
    is_archive = path.suffix == PACLET_SUFFIX and _has_file_type(stat.S_ISREG, path)
    return ArchiveFiles(path) if is_archive else DirectoryFiles(path)


def _has_file_type(is_type: Callable[[int], bool], path: Path) -> bool:
    """Return whether a path has a file type, or exists but cannot be accessed.

    A file without read permission is included, so that the user sees an error when it is read.

    Args:
        is_type: Tests the mode of a file, such as `stat.S_ISDIR` for directories.
        path: The path.
    """
    # `Path.is_file` is not used, because without permission it raises an error in some Python
    # versions and returns False in others.
    try:
        return is_type(path.stat().st_mode)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False


class DirectoryFiles:
    """The files of an extension in a directory."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def has_file(self, name: str) -> bool:
        """Return whether the file exists or cannot be accessed."""
        return _has_file_type(stat.S_ISREG, self.path / name)

    def has_folder(self, name: str) -> bool:
        """Return whether the directory exists or cannot be accessed."""
        return _has_file_type(stat.S_ISDIR, self.path / name)

    def list_file_names(self, folder: str) -> list[str]:
        """Return the sorted names of the files directly in a directory, or [] if it is absent."""
        try:
            names = sorted(path.name for path in (self.path / folder).iterdir())
        except OSError:
            return []
        return [name for name in names if self.has_file(f"{folder}/{name}")]

    def get_backing_file(self, name: str) -> Path:
        """Return the path of the file."""
        return self.path / name

    def read_file(self, name: str, limit: int) -> bytes:
        """Read a file in the directory.

        Raises:
            LoadError: The file cannot be read, or has more than `limit` bytes.
        """
        path = self.path / name
        try:
            with path.open("rb") as file:
                data = file.read(limit + 1)
        except OSError as error:
            raise LoadError(f"cannot be read: {error.strerror or error}", where=str(path)) from None
        return _check_size(data, limit, path)


class ArchiveFiles:
    """The files in a wheel or paclet archive, read without unpacking it.

    Args:
        path: The archive.
        prefix: A prefix to omit from file names (default: the folder that contains all files, if
            any).
    """

    def __init__(self, path: Path, *, prefix: str | None = None) -> None:
        self.path = path
        with open_archive(path) as archive:
            # Paclets are cached, so they must not keep files open. The dictionary is an ordered
            # set.
            self.names = dict.fromkeys(archive.files)
            """The names of all files, in the order of the archive."""
        self._prefix = find_common_folder(self.names) if prefix is None else prefix

    def has_file(self, name: str) -> bool:
        """Return whether the file exists."""
        return self._prefix + name in self.names

    def has_folder(self, name: str) -> bool:
        """Return whether the directory exists and is not empty."""
        prefix = f"{self._prefix}{name}/"
        return any(name.startswith(prefix) for name in self.names)

    def list_file_names(self, folder: str) -> list[str]:
        """Return the sorted names of the files directly in a directory, or [] if it is absent."""
        prefix = self._prefix if folder == "." else f"{self._prefix}{folder}/"
        inner_names = (name.removeprefix(prefix) for name in self.names if name.startswith(prefix))
        return sorted(name for name in inner_names if "/" not in name)

    def get_backing_file(self, name: str) -> Path:
        """Return the path of the archive."""
        return self.path

    def read_file(self, name: str, limit: int) -> bytes:
        """Unpack a file in the archive into memory.

        All small files in the same folder are read at once and cached, because opening an archive
        checks all its entries, which is expensive.

        Raises:
            LoadError: The file cannot be read, or has more than `limit` bytes.
        """
        full_name = self._prefix + name
        folder = full_name.rpartition("/")[0]
        contents_by_name: dict[str, bytes] = {}
        if "/" in name:
            cache_key = str(self.path / folder)
            contents_by_name = _folder_cache.get_or_parse(
                cache_key, self.path, lambda: self._read_folder(folder)
            )
        if full_name in contents_by_name:
            return _check_size(contents_by_name[full_name], limit, self.path / name)
        with open_archive(self.path) as archive, archive.open(full_name) as file:
            return _check_size(file.read(limit + 1), limit, self.path / name)

    def _read_folder(self, folder: str) -> dict[str, bytes]:
        """Return the contents of the small files directly in a folder, by full name.

        Large files are omitted, as are files past `_MAX_FOLDER_READ_BYTES`.
        """
        contents: dict[str, bytes] = {}
        remaining_bytes = _MAX_FOLDER_READ_BYTES
        with open_archive(self.path) as archive:
            for name, entry in archive.files.items():
                is_small = entry.file_size <= min(_MAX_SMALL_FILE_BYTES, remaining_bytes)
                if name.rpartition("/")[0] == folder and is_small:
                    # A broken file is omitted here and reported when it is requested.
                    with suppress(LoadError), archive.open(name) as file:
                        contents[name] = file.read(_MAX_SMALL_FILE_BYTES)
                        remaining_bytes -= entry.file_size
        return contents


def _check_size(data: bytes, limit: int, path: Path) -> bytes:
    if len(data) > limit:
        raise LoadError(f"is longer than {limit:,} bytes", where=str(path))
    return data
