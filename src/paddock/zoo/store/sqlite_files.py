"""Creates and checks SQLite database files.

SQLite would take an empty or truncated file for a new database and write to it, so files are
checked before SQLite opens them.
"""

from __future__ import annotations

import os
import struct
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.zoo.errors import ZooUnavailableError

if TYPE_CHECKING:
    from collections.abc import Iterator

SQLITE_HEADER = b"SQLite format 3\0"
HEADER_BYTES = 100
MAX_PAGE_BYTES = 65_536
# Age at which an unfinished file is assumed to belong to a killed process.
ABANDONED_FILE_SECONDS = 3_600


def make_sqlite_uri(path: str) -> str:
    """Return the URI that makes SQLite open an existing file, but never create one."""
    return f"{Path(path).absolute().as_uri()}?mode=rw"


@contextmanager
def create_new_file(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary file that becomes `path` when the block ends.

    If another process has created `path` in the meantime, that file is kept. Temporary files left
    behind by killed processes are deleted.
    """
    abandoned_before = time.time() - ABANDONED_FILE_SECONDS
    for file in path.parent.glob(f".{path.name}.*.new*"):
        if file.stat().st_mtime < abandoned_before:
            file.unlink(missing_ok=True)
    temporary_path = path.with_name(f".{path.name}.{os.getpid()}.new")
    temporary_path.unlink(missing_ok=True)
    try:
        yield temporary_path
        _publish_file(temporary_path, path)
    finally:
        temporary_path.unlink(missing_ok=True)


def _publish_file(temporary_path: Path, path: Path) -> None:
    """Give a finished temporary file its final name, unless that name is taken.

    A hard link fails if the name exists. A rename would replace the file of another process.
    """
    try:
        path.hardlink_to(temporary_path)
    except FileExistsError:
        # Another process was faster. This can happen if the two do not share a lock.
        return
    except OSError:
        # Not every file system supports hard links.
        if not path.exists():
            temporary_path.rename(path)


def check_database_file(path: Path) -> None:
    """Check that a file has the header of a SQLite database and is not truncated.

    Raises:
        ZooUnavailableError: The file is something else, or is truncated.
        OSError: The file cannot be read.
    """
    with path.open("rb") as file:
        header = file.read(HEADER_BYTES)
    if not header.startswith(SQLITE_HEADER) or len(header) < HEADER_BYTES:
        raise ZooUnavailableError(
            "not a SQLite database, or a truncated one",
            where=str(path),
            hint="use another file, or move this one away and restore a backup",
        )
    write_ahead_log = path.with_name(f"{path.name}-wal")
    # Missing pages may still be in the write-ahead log.
    if write_ahead_log.exists() and write_ahead_log.stat().st_size:
        return
    actual_bytes, expected_bytes = path.stat().st_size, _get_expected_bytes(header)
    if actual_bytes < expected_bytes:
        raise ZooUnavailableError(
            f"the file is truncated: it has {actual_bytes} of {expected_bytes} bytes",
            where=str(path),
            hint="move it away and restore a backup",
        )


def _get_expected_bytes(header: bytes) -> int:
    """Return the file size stated in a SQLite database's header, or 0 if it is unknown."""
    # https://www.sqlite.org/fileformat.html section 1.3: the size in pages is valid only if the
    # change counter equals the one for which the header was last completed. A page size of 1 means
    # 65,536.
    (page_bytes,) = struct.unpack_from(">H", header, 16)
    (change_counter, page_count) = struct.unpack_from(">II", header, 24)
    (valid_for,) = struct.unpack_from(">I", header, 92)
    if change_counter != valid_for:
        return 0
    page_size: int = page_bytes if page_bytes != 1 else MAX_PAGE_BYTES
    return int(page_count) * page_size
