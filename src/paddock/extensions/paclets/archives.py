"""Safely reads and unpacks paclet archives, which are untrusted zip files.

All entries are checked before any is read. An archive with outside paths, links, duplicate names or
excessive data is rejected as a whole. Archives are unpacked into a temporary directory that is
renamed at the end, so the target is either complete or absent.
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
from paddock.extensions.paclets.search_paths import PACLET_SUFFIX
from paddock.files import lock_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

MAX_ARCHIVE_ENTRIES = 50_000
MAX_UNPACKED_BYTES = 1_000_000_000
"""Maximum total size of the unpacked files."""
MAX_COMPRESSION_RATIO = 200
"""Maximum ratio of unpacked to packed size, to prevent zip bombs. Text has a ratio of about 10."""
MIN_RATIO_CHECK_BYTES = 1_000_000
"""Unpacked size below which the ratio is not checked."""
MAX_NAME_CHARACTERS = 400
MAX_DIRECTORY_BYTES = 20_000_000
"""Maximum size of the central directory, which `zipfile` reads into memory all at once."""
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
"""Exceptions that `zipfile` raises for broken archives."""


class ArchiveError(LoadError):
    """An archive cannot be read or is not safe to unpack."""

    code = "invalid-archive"


class PacletArchiveLimits(NamedTuple):
    """Limits on the contents of an archive."""

    max_entries: int = MAX_ARCHIVE_ENTRIES
    max_bytes: int = MAX_UNPACKED_BYTES
    max_ratio: int = MAX_COMPRESSION_RATIO


DEFAULT_ARCHIVE_LIMITS = PacletArchiveLimits()


class PacletArchive:
    """An open archive whose entries have been checked. Created by `open_archive`.

    Args:
        path: The path of the archive, for errors.
        zip_file: The open archive.
        files: The files in the archive, by name. Directories are not included.
    """

    def __init__(self, path: Path, zip_file: zipfile.ZipFile, files: dict[str, zipfile.ZipInfo]):
        self.path = path
        self.files = files
        self._zip_file = zip_file

    @contextmanager
    def open(self, name: str) -> Iterator[IO[bytes]]:
        """Open a file in the archive for reading.

        Raises:
            ArchiveError: The file does not exist or cannot be unpacked.
        """
        entry = self.files.get(name)
        if entry is None:
            raise _make_archive_error(self.path, f"contains no {name!r}")
        try:
            with self._zip_file.open(entry) as file:
                yield file
        except _ARCHIVE_EXCEPTIONS as error:
            raise _make_archive_error(self.path, f"{name!r} cannot be unpacked: {error}") from None


@contextmanager
def open_archive(
    path: Path,
    limits: PacletArchiveLimits = DEFAULT_ARCHIVE_LIMITS,
) -> Iterator[PacletArchive]:
    """Open a zip archive and check all its entries before any are unpacked.

    The archive is closed when the `with` block ends.

    Raises:
        ArchiveError: The file is not an archive, exceeds a limit, or has an unsafe entry such as a
            link or a path outside the archive.
    """
    try:
        _check_directory_size(path)
        zip_file = zipfile.ZipFile(path)
    except _ARCHIVE_EXCEPTIONS as error:
        raise _make_archive_error(path, f"is not an archive: {error}") from None
    with zip_file:
        yield PacletArchive(path, zip_file, _check_entries(zip_file.infolist(), path, limits))


def unpack_archive(
    path: Path,
    target: Path,
    *,
    limits: PacletArchiveLimits = DEFAULT_ARCHIVE_LIMITS,
) -> Path:
    """Unpack an archive into a new directory, completely or not at all.

    If all files are in one top-level folder, only the contents of that folder are unpacked. If the
    target already exists, another process has unpacked the archive, and the target is returned
    unchanged.

    Args:
        path: The archive.
        target: The directory to create.
        limits: The limits on the archive's contents.

    Returns:
        The target.

    Raises:
        ArchiveError: The archive is unsafe. No files are left behind.
    """
    with open_archive(path, limits) as archive, lock_file(target):
        if target.exists():
            return target
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary_directory = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        try:
            content_directory = temporary_directory / "content"
            content_directory.mkdir()
            prefix = find_common_folder(archive.files)
            for name in archive.files:
                unpacked_path = content_directory / name.removeprefix(prefix)
                unpacked_path.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(name) as packed_file, unpacked_path.open("xb") as unpacked_file:
                    shutil.copyfileobj(packed_file, unpacked_file, _CHUNK_BYTES)
            # Renaming is atomic: other processes see the complete directory or nothing.
            content_directory.replace(target)
        finally:
            shutil.rmtree(temporary_directory, ignore_errors=True)
    return target


def find_common_folder(names: Iterable[str]) -> str:
    """Return the folder that contains all files, with a trailing slash, or ""."""
    top_folders = {name.partition("/")[0] if "/" in name else "" for name in names}
    folder = top_folders.pop() if len(top_folders) == 1 else ""
    return f"{folder}/" if folder else ""


def _check_directory_size(path: Path) -> None:
    """Reject a zip file whose central directory, the list of its entries, is too large.

    `zipfile` reads the whole directory into memory when it opens the file. The directory's size is
    in the end record, the last structure in a zip file apart from a comment.

    Raises:
        ArchiveError: The directory is larger than `MAX_DIRECTORY_BYTES` or uses ZIP64.
        zipfile.BadZipFile: The file has no end record.
    """
    with path.open("rb") as file:
        file_size = file.seek(0, 2)
        max_tail_bytes = _MAX_COMMENT_BYTES + _END_RECORD_BYTES + _ZIP64_LOCATOR_BYTES
        file.seek(max(file_size - max_tail_bytes, 0))
        tail = file.read()
    # Search for the end record the way `zipfile` does, so that both find the same one.
    end_record_at_tail = len(tail) - _END_RECORD_BYTES
    end_record = (
        end_record_at_tail
        if tail[end_record_at_tail : end_record_at_tail + 4] == _END_SIGNATURE
        and tail.endswith(b"\0\0")
        else tail.rfind(_END_SIGNATURE)
    )
    if end_record < 0 or end_record + _END_RECORD_BYTES > len(tail):
        raise zipfile.BadZipFile("File is not a zip file")
    (directory_bytes,) = struct.unpack_from("<L", tail, end_record + 12)
    is_large = tail[max(end_record - _ZIP64_LOCATOR_BYTES, 0) : end_record].startswith(
        _ZIP64_LOCATOR_SIGNATURE
    )
    if is_large or directory_bytes > MAX_DIRECTORY_BYTES:
        raise _make_archive_error(path, "lists too many files")


def _check_entries(
    entries: list[zipfile.ZipInfo], path: Path, limits: PacletArchiveLimits
) -> dict[str, zipfile.ZipInfo]:
    """Check the entries of an archive and return its files by name.

    Raises:
        ArchiveError: An entry is unsafe, two names clash, or a limit is exceeded.
    """
    if len(entries) > limits.max_entries:
        raise _make_archive_error(
            path, f"contains {len(entries):,} files, more than {limits.max_entries:,}"
        )
    files: dict[str, zipfile.ZipInfo] = {}
    names_by_casefold: dict[str, str] = {}
    for entry in entries:
        problem = _find_name_problem(entry) or _find_entry_problem(entry)
        if problem:
            raise _make_archive_error(
                path, f"{entry.orig_filename[:MAX_NAME_CHARACTERS]!r} {problem}"
            )
        name = entry.filename
        if entry.is_dir():
            continue
        # Names that differ only in case are the same file on Windows and macOS.
        first_name = names_by_casefold.setdefault(name.casefold(), name)
        if name in files or first_name != name:
            raise _make_archive_error(path, f"contains {name!r} twice")
        files[name] = entry
    _check_folders(names_by_casefold, path)
    _check_sizes(list(files.values()), path, limits)
    return files


def _find_name_problem(entry: zipfile.ZipInfo) -> str | None:
    """Return the reason why an entry's name is unsafe, such as `is the name of a drive`.

    An unsafe name leads outside the target directory, or refers to a different file on Windows. The
    checks do not depend on the current platform.

    Returns:
        The reason, as the end of a sentence, or None if the name is safe.
    """
    name = entry.orig_filename
    if "\0" in name or not entry.filename or len(name) > MAX_NAME_CHARACTERS:
        return "is not a valid file name"
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
        return "is a path outside the archive"
    if any(part != part.rstrip(" .") for part in parts):
        return "has a name that ends with a dot or a space"
    return None


def _find_entry_problem(entry: zipfile.ZipInfo) -> str | None:
    """Return the reason why an entry cannot be unpacked, or None for a regular file or directory.

    An example is `is a symbolic link`; a link could lead outside the target directory.
    """
    # Unix archives have the file mode in the upper half. In others, it is 0.
    file_type = stat.S_IFMT(entry.external_attr >> 16)
    if file_type == stat.S_IFLNK:
        return "is a symbolic link"
    if file_type not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is not a regular file"
    is_encrypted = entry.flag_bits & 0x1
    if is_encrypted:
        return "is encrypted"
    if entry.compress_type not in _COMPRESSION_METHODS:
        return f"uses compression method {entry.compress_type}, expected stored or deflated"
    return None


def _check_folders(names_by_casefold: dict[str, str], path: Path) -> None:
    """Reject an archive that uses the same name for a file and a folder.

    An example is an archive with the files `docs` and `docs/index.md`, which cannot be unpacked.

    Args:
        names_by_casefold: The file names by case-folded form, because `Docs` and `docs` are the
            same on Windows and macOS.
        path: The path of the archive, for errors.
    """
    for name in names_by_casefold.values():
        parent = name.rpartition("/")[0]
        while parent:
            if parent.casefold() in names_by_casefold:
                raise _make_archive_error(path, f"{parent!r} is both a file and a folder")
            parent = parent.rpartition("/")[0]


def _check_sizes(files: list[zipfile.ZipInfo], path: Path, limits: PacletArchiveLimits) -> None:
    """Reject an archive that unpacks to too much data, such as a zip bomb."""
    # The sizes declared in the archive can be trusted, because `zipfile` never reads more than a
    # file's declared size.
    unpacked_bytes = sum(file.file_size for file in files)
    if unpacked_bytes > limits.max_bytes:
        raise _make_archive_error(
            path, f"unpacks to {unpacked_bytes:,} bytes, more than {limits.max_bytes:,}"
        )
    packed_bytes = max(path.stat().st_size, 1)
    is_ratio_too_high = unpacked_bytes > limits.max_ratio * packed_bytes
    if unpacked_bytes > MIN_RATIO_CHECK_BYTES and is_ratio_too_high:
        ratio = unpacked_bytes // packed_bytes
        raise _make_archive_error(path, f"unpacks to {ratio} times its size")


def _make_archive_error(path: Path, problem: str) -> ArchiveError:
    """Return the error for a broken or unsafe archive.

    For a paclet, a Wolfram package, the hint names the Wolfram function that builds the archive.
    """
    is_paclet = path.suffix == PACLET_SUFFIX
    rebuild = "build it with CreatePacletArchive" if is_paclet else "rebuild it"
    return ArchiveError(
        problem,
        where=str(path),
        hint=f"nothing of it was used; download the archive again, or {rebuild}",
    )
