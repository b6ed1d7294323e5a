"""Writing the user's files so that nobody ever sees half of one, and no two writers lose anything.

What is written is on the disk before it takes the place of what was there; a full disk or a crash
leaves the old content. Locks stand in Paddock's own directory, never beside the user's files.
"""

from __future__ import annotations

import hashlib
import os
import stat
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from paddock.directories import data_directory
from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOCK_SECONDS = 20.0
PRIVATE = 0o600


class FileBusyError(PaddockError):
    """Another process has been writing a file for too long."""

    code = "file-busy"


def write_atomically(
    path: Path,
    data: bytes,
    *,
    mode: int | None = None,
    before_replacing: Callable[[], None] | None = None,
) -> None:
    """Put data in the place of a file's content, all of it or none.

    A symbolic link stays one: the file that it leads to is written. The mode of a file that is
    there is kept; a new one gets `mode`, or is readable by its owner only. `before_replacing` is
    called last of all, and may still refuse by raising an error.
    """
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(_mode_of(target, mode))
        if before_replacing is not None:
            before_replacing()
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_directory(target.parent)


@contextmanager
def locked(path: Path, *, seconds: float = LOCK_SECONDS) -> Iterator[None]:
    """Be the only one of Paddock's processes that changes a file; wait for another so long.

    Raises:
        FileBusyError: when another one does not finish.
    """
    key = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
    place = Path(data_directory()) / "locks" / f"{key}.lock"
    place.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(place, timeout=seconds, mode=PRIVATE)
    try:
        lock.acquire()
    except Timeout:
        raise FileBusyError(
            f"another paddock process has been changing it for {seconds:.0f} s",
            where=str(path),
            hint="end that process, then try again",
        ) from None
    try:
        yield
    finally:
        lock.release()


def _mode_of(target: Path, mode: int | None) -> int:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return PRIVATE if mode is None else mode


def _sync_directory(directory: Path) -> None:
    """Have the new name on the disk too; not every system lets a directory be opened."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
