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
from paddock.files import locked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SUFFIX = ".paclet"
MAX_ENTRIES = 50_000
MAX_TOTAL = 1_000_000_000
"""Bytes that all files of an archive may have together."""
MAX_RATIO = 200
"""How many times larger than its archive a paclet may be; text packs ten to one."""
SMALL = 1_000_000
"""Below this many bytes the ratio is not looked at."""
MAX_NAME = 400
MAX_DIRECTORY = 20_000_000
"""Bytes of an archive's own list of files, which is read as a whole."""
_CHUNK = 1 << 20
_END, _END_OF_LARGE = b"PK\5\6", b"PK\6\7"
_END_SIZE, _LOCATOR_SIZE, _MAX_COMMENT = 22, 20, 1 << 16
_DRIVE = re.compile(r"[A-Za-z]:")
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_FAULTS = (
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


class Limits(NamedTuple):
    """How much an archive may hold."""

    entries: int = MAX_ENTRIES
    total: int = MAX_TOTAL
    ratio: int = MAX_RATIO


class Archive:
    """An archive that has been looked through; its files by their names."""

    def __init__(self, path: Path, zipped: zipfile.ZipFile, files: dict[str, zipfile.ZipInfo]):
        self.path = path
        self.files = files
        self._zipped = zipped

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """One of its files, to be read.

        Raises:
            ArchiveError: when it cannot be unpacked.
        """
        entry = self.files.get(name)
        if entry is None:
            raise _refused(self.path, f"holds no {name!r}")
        try:
            with self._zipped.open(entry) as file:
                yield file
        except _FAULTS as error:
            raise _refused(self.path, f"{name!r} cannot be unpacked: {error}") from None


@contextmanager
def opened(path: Path, limits: Limits = Limits()) -> Iterator[Archive]:  # noqa: B008 - a tuple
    """An archive, after everything in it has been found to be safe.

    Raises:
        ArchiveError: when it is no archive, or not safe.
    """
    try:
        _check_directory(path)
        zipped = zipfile.ZipFile(path)
    except _FAULTS as error:
        raise _refused(path, f"is not an archive: {error}") from None
    with zipped:
        yield Archive(path, zipped, _checked(zipped.infolist(), path, limits))


def unpack(path: Path, target: Path, *, limits: Limits = Limits()) -> Path:  # noqa: B008 - a tuple
    """Put the content of an archive into a new directory, all of it or none.

    The one folder that holds everything, if there is one, becomes the directory itself. When the
    directory is there already, somebody else has unpacked it, and it is left as it is.

    Raises:
        ArchiveError: when the archive is not safe; nothing is left behind.
    """
    with opened(path, limits) as archive, locked(target):
        if target.exists():
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        draft = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        try:
            inner = draft / "content"
            inner.mkdir()
            prefix = common_folder(archive.files)
            for name in archive.files:
                _unpack_one(archive, name, inner / name.removeprefix(prefix))
            inner.replace(target)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
    return target


def common_folder(names: Iterable[str]) -> str:
    """The folder that holds everything, with its slash; empty when there is none."""
    first = {name.partition("/")[0] if "/" in name else "" for name in names}
    only = first.pop() if len(first) == 1 else ""
    return f"{only}/" if only else ""


def _unpack_one(archive: Archive, name: str, place: Path) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with archive.open(name) as packed, place.open("xb") as file:
        shutil.copyfileobj(packed, file, _CHUNK)


def _check_directory(path: Path) -> None:
    """Refuse an archive whose list of files would fill the memory when it is opened."""
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(size - _MAX_COMMENT - _END_SIZE - _LOCATOR_SIZE, 0))
        tail = file.read()
    # Where the standard library looks for the end, in its order.
    last = len(tail) - _END_SIZE
    at = last if tail[last : last + 4] == _END and tail.endswith(b"\0\0") else tail.rfind(_END)
    if at < 0 or at + _END_SIZE > len(tail):
        raise zipfile.BadZipFile("File is not a zip file")
    (listed,) = struct.unpack_from("<L", tail, at + 12)
    is_large = tail[max(at - _LOCATOR_SIZE, 0) : at].startswith(_END_OF_LARGE)
    if is_large or listed > MAX_DIRECTORY:
        raise _refused(path, "lists more files than a paclet has")


def _checked(
    entries: list[zipfile.ZipInfo], path: Path, limits: Limits
) -> dict[str, zipfile.ZipInfo]:
    """The files by their names."""
    if len(entries) > limits.entries:
        raise _refused(path, f"holds {len(entries):,} files, more than {limits.entries:,}")
    found: dict[str, zipfile.ZipInfo] = {}
    taken: dict[str, str] = {}
    for entry in entries:
        problem = _name_problem(entry) or _entry_problem(entry)
        if problem:
            raise _refused(path, f"{entry.orig_filename[:MAX_NAME]!r} {problem}")
        name = entry.filename
        if entry.is_dir():
            continue
        # Two names that differ in case only are one file on some systems.
        same = taken.setdefault(name.casefold(), name)
        if name in found or same != name:
            raise _refused(path, f"{name!r} stands in it twice")
        found[name] = entry
    _check_folders(taken, path)
    _check_sizes(list(found.values()), path, limits)
    return found


def _name_problem(entry: zipfile.ZipInfo) -> str | None:
    name = entry.orig_filename
    if "\0" in name or not entry.filename or len(name) > MAX_NAME:
        return "is no name for a file"
    if "\\" in name:
        return "has a backslash in its name"
    if name.startswith("/"):
        return "has an absolute name"
    if _DRIVE.match(name):
        return "has the name of a drive"
    if ":" in name:
        return "has a colon in its name"
    parts = PurePosixPath(name).parts
    if ".." in parts:
        return "leads out of the archive"
    if any(part != part.rstrip(" .") for part in parts):
        return "has a name that ends with a dot or a blank"
    return None


def _entry_problem(entry: zipfile.ZipInfo) -> str | None:
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "is a symbolic link"
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is no ordinary file"
    if entry.flag_bits & 0x1:
        return "is encrypted"
    if entry.compress_type not in _METHODS:
        return f"is packed by method {entry.compress_type}, expected stored or deflated"
    return None


def _check_folders(taken: dict[str, str], path: Path) -> None:
    """Refuse what is both a file and the folder of another."""
    for name in taken.values():
        parent = name.rpartition("/")[0]
        while parent:
            if parent.casefold() in taken:
                raise _refused(path, f"{parent!r} is both a file and a folder")
            parent = parent.rpartition("/")[0]


def _check_sizes(files: list[zipfile.ZipInfo], path: Path, limits: Limits) -> None:
    # A file's own claim binds: the standard library unpacks no more of it.
    total = sum(file.file_size for file in files)
    if total > limits.total:
        raise _refused(path, f"unpacks to {total:,} bytes, more than {limits.total:,}")
    packed = max(path.stat().st_size, 1)
    if total > SMALL and total > limits.ratio * packed:
        raise _refused(path, f"unpacks to {total // packed} times its size")


def _refused(path: Path, found: str) -> ArchiveError:
    built = "with CreatePacletArchive" if path.suffix == SUFFIX else "anew"
    return ArchiveError(
        found,
        where=str(path),
        hint=f"nothing of it was used; get the archive anew, or build it {built}",
    )
