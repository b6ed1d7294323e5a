"""Looking at the file of a SQLite database before SQLite does, which takes an empty one for new."""

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
ABANDONED_FILE_SECONDS = 3_600
"""After so long nobody is still making a file."""


def make_sqlite_uri(path: str) -> str:
    """The address by which SQLite opens a file only if it is there."""
    return f"{Path(path).absolute().as_uri()}?mode=rw"


@contextmanager
def create_new_file(path: Path) -> Iterator[Path]:
    """A file that gets its name when it is complete, unless another one has it then.

    What makers that were killed have left is cleared away.
    """
    long_ago = time.time() - ABANDONED_FILE_SECONDS
    for left in path.parent.glob(f".{path.name}.*.new*"):
        if left.stat().st_mtime < long_ago:
            left.unlink(missing_ok=True)
    new = path.with_name(f".{path.name}.{os.getpid()}.new")
    new.unlink(missing_ok=True)
    try:
        yield new
        _publish_file(new, path)
    finally:
        new.unlink(missing_ok=True)


def _publish_file(new: Path, path: Path) -> None:
    try:
        path.hardlink_to(new)
    except FileExistsError:
        return  # made by somebody whose lock is elsewhere
    except OSError:  # not every file system has links
        if not path.exists():
            new.rename(path)


def check_database_file(path: Path) -> None:
    """Make sure that a file begins like a database, and is as long as it says.

    Raises:
        ZooUnavailableError: when it does not.
        OSError: when it cannot be read.
    """
    with path.open("rb") as file:
        head = file.read(HEADER_BYTES)
    if not head.startswith(SQLITE_HEADER) or len(head) < HEADER_BYTES:
        raise ZooUnavailableError(
            "it is no SQLite database, or what is left of one",
            where=str(path),
            hint="name another file, or move this one away and restore a backup",
        )
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        return  # what is missing may be there, and SQLite knows
    size, expected = path.stat().st_size, _get_expected_bytes(head)
    if size < expected:
        raise ZooUnavailableError(
            f"it is cut off: it has {size} of {expected} bytes",
            where=str(path),
            hint="move it away and restore a backup",
        )


def _get_expected_bytes(head: bytes) -> int:
    """How long a file is by its header; 0 when the header does not know."""
    (page,) = struct.unpack_from(">H", head, 16)
    (changes, pages) = struct.unpack_from(">II", head, 24)
    (known_at,) = struct.unpack_from(">I", head, 92)
    return pages * (page if page != 1 else MAX_PAGE_BYTES) if changes == known_at else 0
