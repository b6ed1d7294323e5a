"""The files of a paclet, in its directory or in its archive, by names with slashes."""

from __future__ import annotations

import stat
from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

from paddock.errors import LoadError
from paddock.extensions.definition_files import ParseCache
from paddock.extensions.paclets.archives import PACLET_SUFFIX, find_common_folder, open_archive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_MAX_SMALL_FILE_BYTES = 50_000
"""Bytes that a file may have to be read together with others."""
_MAX_FOLDER_READ_BYTES = 5_000_000
_folder_cache: ParseCache[dict[str, bytes]] = ParseCache()


class PacletFiles(Protocol):
    """What a paclet is read through."""

    path: Path
    """The directory or the archive."""

    def has_file(self, name: str) -> bool:
        """Whether there is such a file."""
        ...

    def has_folder(self, name: str) -> bool:
        """Whether there is such a directory, with anything in it."""
        ...

    def list_file_names(self, folder: str) -> list[str]:
        """The names of the files directly in a directory, sorted; none when it is not there."""
        ...

    def get_backing_file(self, name: str) -> Path:
        """What changes on disk when a file changes: the file itself, or the archive."""
        ...

    def read_file(self, name: str, limit: int) -> bytes:
        """The content of a file.

        Raises:
            LoadError: when it cannot be read, or has more bytes than the limit.
        """
        ...


def open_paclet_files(place: Path) -> PacletFiles:
    """The files of the paclet in a directory or an archive.

    Raises:
        ArchiveError: when it is an archive that cannot be used.
    """
    return PackedPaclet(place) if is_paclet_archive(place) else PacletDirectory(place)


def is_paclet_archive(place: Path) -> bool:
    """Whether a path is that of a paclet archive."""
    return place.suffix == PACLET_SUFFIX and _has_file_type(stat.S_ISREG, place)


def _has_file_type(kind: Callable[[int], bool], path: Path) -> bool:
    # Not `Path.is_file`: for what may not be looked at, versions of Python raise or say no.
    try:
        return kind(path.stat().st_mode)
    except PermissionError:
        return True
    except (OSError, ValueError):
        return False


class PacletDirectory:
    """The files of a paclet that is a directory."""

    def __init__(self, place: Path) -> None:
        self.path = place

    def has_file(self, name: str) -> bool:
        """Whether there is such a file; what may not be looked at counts, and reading says why."""
        return _has_file_type(stat.S_ISREG, self.path / name)

    def has_folder(self, name: str) -> bool:
        """Whether there is such a directory; what may not be looked at counts."""
        return _has_file_type(stat.S_ISDIR, self.path / name)

    def list_file_names(self, folder: str) -> list[str]:
        """The names of the files directly in a directory, sorted; none when it is not there."""
        try:
            found = sorted(one.name for one in (self.path / folder).iterdir())
        except OSError:
            return []
        return [name for name in found if self.has_file(f"{folder}/{name}")]

    def get_backing_file(self, name: str) -> Path:
        """The file itself."""
        return self.path / name

    def read_file(self, name: str, limit: int) -> bytes:
        """The content of a file, read no further than the limit."""
        path = self.path / name
        try:
            with path.open("rb") as file:
                data = file.read(limit + 1)
        except OSError as error:
            raise LoadError(f"cannot be read: {error.strerror or error}", where=str(path)) from None
        return _check_size(data, limit, path)


class PackedPaclet:
    """The files of a paclet that is an archive, which is not unpacked.

    The one folder that holds everything, if there is one, does not count, unless `prefix` says
    what does not.
    """

    def __init__(self, place: Path, *, prefix: str | None = None) -> None:
        self.path = place
        with open_archive(place) as archive:
            self._names = frozenset(archive.files)
        self._prefix = find_common_folder(self._names) if prefix is None else prefix

    def has_file(self, name: str) -> bool:
        """Whether there is such a file."""
        return self._prefix + name in self._names

    def has_folder(self, name: str) -> bool:
        """Whether there is such a directory, with anything in it."""
        inner = f"{self._prefix}{name}/"
        return any(one.startswith(inner) for one in self._names)

    def list_file_names(self, folder: str) -> list[str]:
        """The names of the files directly in a directory, sorted; none when it is not there."""
        inner = self._prefix if folder == "." else f"{self._prefix}{folder}/"
        rest = (one.removeprefix(inner) for one in self._names if one.startswith(inner))
        return sorted(one for one in rest if "/" not in one)

    def get_backing_file(self, name: str) -> Path:
        """The archive."""
        return self.path

    def read_file(self, name: str, limit: int) -> bytes:
        """The content of a file, unpacked no further than the limit.

        An archive is looked through whenever it is opened, so small files of a folder, as
        definitions are, are read together.
        """
        inner = self._prefix + name
        folder = inner.rpartition("/")[0]
        together: dict[str, bytes] = {}
        if "/" in name:
            key = str(self.path / folder)
            together = _folder_cache.get_or_parse(key, self.path, lambda: self._read_folder(folder))
        if inner in together:
            return _check_size(together[inner], limit, self.path / name)
        with open_archive(self.path) as archive, archive.open(inner) as file:
            return _check_size(file.read(limit + 1), limit, self.path / name)

    def _read_folder(self, folder: str) -> dict[str, bytes]:
        """The small files directly in a folder, as many as are not too much together."""
        found: dict[str, bytes] = {}
        left = _MAX_FOLDER_READ_BYTES
        with open_archive(self.path) as archive:
            for name, entry in archive.files.items():
                is_small = entry.file_size <= min(_MAX_SMALL_FILE_BYTES, left)
                if name.rpartition("/")[0] == folder and is_small:
                    # One that cannot be unpacked is told of when it is wanted.
                    with suppress(LoadError), archive.open(name) as file:
                        found[name] = file.read(_MAX_SMALL_FILE_BYTES)
                        left -= entry.file_size
        return found


def _check_size(data: bytes, limit: int, path: Path) -> bytes:
    if len(data) > limit:
        raise LoadError(f"is longer than {limit:,} bytes", where=str(path))
    return data
