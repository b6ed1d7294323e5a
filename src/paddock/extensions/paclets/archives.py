"""Paclet archives: zip files that come from anybody, and are trusted with nothing.

An archive is looked through before anything in it is read: names that lead out of it, links,
names that stand twice, and more data than a paclet has are refused as a whole. Unpacking goes into
a directory beside the place, which takes its name when everything is there.
"""

from __future__ import annotations

import re
import shutil
import stat
import struct
import tempfile
import zipfile
import zlib
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, NamedTuple

from paddock.errors import LoadError
from paddock.files import lock_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

PACLET_SUFFIX = ".paclet"
MAX_ARCHIVE_ENTRIES = 50_000
MAX_UNPACKED_BYTES = 1_000_000_000
"""Bytes that all files of an archive may have together."""
MAX_COMPRESSION_RATIO = 200
"""How many times larger than its archive a paclet may be; text packs ten to one."""
MIN_RATIO_CHECK_BYTES = 1_000_000
"""Below this many bytes the ratio is not looked at."""
MAX_NAME_CHARACTERS = 400
MAX_DIRECTORY_BYTES = 20_000_000
"""Bytes of an archive's own list of files, which is read as a whole."""
_CHUNK_BYTES = 1 << 20
_END_SIGNATURE, _ZIP64_LOCATOR_SIGNATURE = b"PK\5\6", b"PK\6\7"
_END_RECORD_BYTES, _ZIP64_LOCATOR_BYTES, _MAX_COMMENT_BYTES = 22, 20, 1 << 16
_DRIVE_PREFIX = re.compile(r"[A-Za-z]:")
_COMPRESSION_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ARCHIVE_EXCEPTIONS = (
    zipfile.BadZipFile,
    zipfile.LargeZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    OSError,
    EOFError,
    UnicodeDecodeError,
    ValueError,
)
"""What the standard library raises for a broken archive."""


class ArchiveError(LoadError):
    """An archive cannot be read, or is not safe to unpack."""

    code = "invalid-archive"


class PacletArchiveLimits(NamedTuple):
    """How much an archive may hold."""

    max_entries: int = MAX_ARCHIVE_ENTRIES
    max_bytes: int = MAX_UNPACKED_BYTES
    max_ratio: int = MAX_COMPRESSION_RATIO


class PacletArchive:
    """An archive that has been looked through; its files by their names."""

    def __init__(self, path: Path, zipped: zipfile.ZipFile, files: dict[str, zipfile.ZipInfo]):
        self.path = path
        self.files = files
        self._zip_file = zipped

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """One of its files, to be read.

        Raises:
            ArchiveError: when it cannot be unpacked.
        """
        entry = self.files.get(name)
        if entry is None:
            raise _make_archive_error(self.path, f"holds no {name!r}")
        try:
            with self._zip_file.open(entry) as file:
                yield file
        except _ARCHIVE_EXCEPTIONS as error:
            raise _make_archive_error(self.path, f"{name!r} cannot be unpacked: {error}") from None


@contextmanager
def open_archive(
    path: Path,
    limits: PacletArchiveLimits = PacletArchiveLimits(),  # noqa: B008 - immutable
) -> Iterator[PacletArchive]:
    """An archive, after everything in it has been found to be safe.

    Raises:
        ArchiveError: when it is no archive, or not safe.
    """
    try:
        _check_directory_size(path)
        zipped = zipfile.ZipFile(path)
    except _ARCHIVE_EXCEPTIONS as error:
        raise _make_archive_error(path, f"is not an archive: {error}") from None
    with zipped:
        yield PacletArchive(path, zipped, _check_entries(zipped.infolist(), path, limits))


def unpack_archive(
    path: Path,
    target: Path,
    *,
    limits: PacletArchiveLimits = PacletArchiveLimits(),  # noqa: B008 - immutable
) -> Path:
    """Put the content of an archive into a new directory, all of it or none.

    The one folder that holds everything, if there is one, becomes the directory itself. When the
    directory is there already, somebody else has unpacked it, and it is left as it is.

    Raises:
        ArchiveError: when the archive is not safe; nothing is left behind.
    """
    with open_archive(path, limits) as archive, lock_file(target):
        if target.exists():
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        try:
            inner = draft / "content"
            inner.mkdir()
            prefix = find_common_folder(archive.files)
            for name in archive.files:
                _unpack_file(archive, name, inner / name.removeprefix(prefix))
            inner.replace(target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return target


def find_common_folder(names: Iterable[str]) -> str:
    """The folder that holds everything, with its slash; empty when there is none."""
    first = {name.partition("/")[0] if "/" in name else "" for name in names}
    only = first.pop() if len(first) == 1 else ""
    return f"{only}/" if only else ""


def _unpack_file(archive: PacletArchive, name: str, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(name) as packed, place.open("xb") as file:
        shutil.copyfileobj(packed, file, _CHUNK_BYTES)


def _check_directory_size(path: Path) -> None:
    """Refuse an archive whose list of files would fill the memory when it is opened."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(size - _MAX_COMMENT_BYTES - _END_RECORD_BYTES - _ZIP64_LOCATOR_BYTES, 0))
        tail = file.read()
    # Where the standard library looks for the end, in its order.
    last = len(tail) - _END_RECORD_BYTES
    at = (
        last
        if tail[last : last + 4] == _END_SIGNATURE and tail.endswith(b"\0\0")
        else tail.rfind(_END_SIGNATURE)
    )
    if at < 0 or at + _END_RECORD_BYTES > len(tail):
        raise zipfile.BadZipFile("File is not a zip file")
    (listed,) = struct.unpack_from("<L", tail, at + 12)
    is_large = tail[max(at - _ZIP64_LOCATOR_BYTES, 0) : at].startswith(_ZIP64_LOCATOR_SIGNATURE)
    if is_large or listed > MAX_DIRECTORY_BYTES:
        raise _make_archive_error(path, "lists more files than a paclet has")


def _check_entries(
    entries: list[zipfile.ZipInfo], path: Path, limits: PacletArchiveLimits
) -> dict[str, zipfile.ZipInfo]:
    """The files by their names."""
    if len(entries) > limits.max_entries:
        raise _make_archive_error(
            path, f"holds {len(entries):,} files, more than {limits.max_entries:,}"
        )
    found: dict[str, zipfile.ZipInfo] = {}
    taken: dict[str, str] = {}
    for entry in entries:
        problem = _find_name_problem(entry) or _find_entry_problem(entry)
        if problem:
            raise _make_archive_error(
                path, f"{entry.orig_filename[:MAX_NAME_CHARACTERS]!r} {problem}"
            )
        name = entry.filename
        if entry.is_dir():
            continue
        # Two names that differ in case only are one file on some systems.
        same = taken.setdefault(name.casefold(), name)
        if name in found or same != name:
            raise _make_archive_error(path, f"{name!r} stands in it twice")
        found[name] = entry
    _check_folders(taken, path)
    _check_sizes(list(found.values()), path, limits)
    return found


def _find_name_problem(entry: zipfile.ZipInfo) -> str | None:
    name = entry.orig_filename
    if "\0" in name or not entry.filename or len(name) > MAX_NAME_CHARACTERS:
        return "is no name for a file"
    if "\\" in name:
        return "has a backslash in its name"
    if name.startswith("/"):
        return "has an absolute name"
    if _DRIVE_PREFIX.match(name):
        return "has the name of a drive"
    if ":" in name:
        return "has a colon in its name"
    parts = PurePosixPath(name).parts
    if ".." in parts:
        return "leads out of the archive"
    if any(part != part.rstrip(" .") for part in parts):
        return "has a name that ends with a dot or a blank"
    return None


def _find_entry_problem(entry: zipfile.ZipInfo) -> str | None:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "is a symbolic link"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is no ordinary file"
    if entry.flag_bits & 0x1:
        return "is encrypted"
    if entry.compress_type not in _COMPRESSION_METHODS:
        return f"is packed by method {entry.compress_type}, expected stored or deflated"
    return None


def _check_folders(taken: dict[str, str], path: Path) -> None:
    """Refuse what is both a file and the folder of another."""
    for name in taken.values():
        parent = name.rpartition("/")[0]
        while parent:
            if parent.casefold() in taken:
                raise _make_archive_error(path, f"{parent!r} is both a file and a folder")
            parent = parent.rpartition("/")[0]


def _check_sizes(files: list[zipfile.ZipInfo], path: Path, limits: PacletArchiveLimits) -> None:
    # A file's own claim binds: the standard library unpacks no more of it.
    total = sum(file.file_size for file in files)
    if total > limits.max_bytes:
        raise _make_archive_error(
            path, f"unpacks to {total:,} bytes, more than {limits.max_bytes:,}"
        )
    packed = max(path.stat().st_size, 1)
    if total > MIN_RATIO_CHECK_BYTES and total > limits.max_ratio * packed:
        raise _make_archive_error(path, f"unpacks to {total // packed} times its size")


def _make_archive_error(path: Path, found: str) -> ArchiveError:
    built = "with CreatePacletArchive" if path.suffix == PACLET_SUFFIX else "anew"
    return ArchiveError(
        found,
        where=str(path),
        hint=f"nothing of it was used; get the archive anew, or build it {built}",
    )
