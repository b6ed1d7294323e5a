"""Writing the user's files so that nobody ever sees half of one, and no two writers lose anything.

What is written is on the disk before it takes the place of what was there; a full disk or a crash
leaves the old content. Locks stand in Paddock's own directory, never beside the user's files.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from paddock.directories import DATA_DIRECTORY_VARIABLE, get_data_directory
from paddock.errors import PaddockError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOCK_TIMEOUT_SECONDS = 20.0
PRIVATE_MODE = 0o600


class DataDirectoryError(PaddockError):
    """What Paddock keeps for its user cannot be read or written."""

    code = "data-directory"


class FileBusyError(PaddockError):
    """Another process has been writing a file for too long."""

    code = "file-busy"


def write_atomically(
    path: Path,
    data: bytes,
    *,
    mode: int | None = None,
    is_new: bool = False,
    before_replacing: Callable[[], None] | None = None,
) -> None:
    """Put data in the place of a file's content, all of it or none.

    A symbolic link stays one: the file that it leads to is written. The owner and the mode of a
    file that is there are kept; a new one gets `mode`, or is readable by its owner only.
    `before_replacing` is called last of all, and may still refuse by raising an error. Devices,
    pipes and the like are refused. With `is_new` a file that is there, or appears meanwhile, is
    kept: that is a FileExistsError.
    """
    target = path.resolve()
    check_regular_file(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _copy_owner(target, temporary)
        temporary.chmod(_get_mode(target, mode))
        if before_replacing is not None:
            before_replacing()
        if is_new:
            _create_exclusively(temporary, target)
        else:
            temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    _sync_directory(target.parent)


def _create_exclusively(temporary: Path, target: Path) -> None:
    """Give a file its name unless something has it; where there are links, in one step."""
    try:
        target.hardlink_to(temporary)
    except FileExistsError:
        raise
    except OSError:
        if path_exists(target):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target)) from None
        temporary.replace(target)
    else:
        temporary.unlink()


def path_exists(path: Path) -> bool:
    """Whether there is something that can be looked at; what may not be looked at is not there."""
    try:
        path.stat()
    except (OSError, RuntimeError, ValueError):
        return False
    return True


@contextmanager
def convert_os_errors(path: Path) -> Iterator[None]:
    """Tell what the system says about a file of Paddock's own as an error of ours.

    Raises:
        DataDirectoryError: in place of an OSError.
    """
    try:
        yield
    except OSError as error:
        raise DataDirectoryError(
            f"cannot be used: {error.strerror or error}",
            where=str(error.filename or path),
            hint=f"set {DATA_DIRECTORY_VARIABLE} to a directory that you may write to",
        ) from None


@contextmanager
def lock_file(path: Path, *, seconds: float = LOCK_TIMEOUT_SECONDS) -> Iterator[int | None]:
    """Be the only one of Paddock's processes that changes a file; wait for another so long.

    The value of the `with` statement is the descriptor that holds the lock. A child that inherits
    it holds the lock too, until it ends. There is none on Windows.

    Raises:
        FileBusyError: when another one does not finish.
        DataDirectoryError: when there is no place for the lock.
    """
    place = _get_lock_path(path)
    lock = FileLock(place, timeout=seconds, mode=PRIVATE_MODE)
    with convert_os_errors(place):
        place.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire()
        except Timeout:  # which is an OSError too
            raise FileBusyError(
                f"another paddock process has been changing it for {seconds:.0f} s",
                where=str(path),
                hint="end that process, then try again",
            ) from None
    try:
        held = lock._context  # noqa: SLF001 - the library hands it out in no other way
        yield None if sys.platform == "win32" else held.lock_file_fd
    finally:
        lock.release()


def delete_lock_file(path: Path) -> None:
    """Delete the file of a lock that the caller holds, of a file that is no more.

    Whoever has opened it meanwhile sees that it has no name any more, and makes another one.
    """
    with suppress(OSError):  # Windows does not delete what is open
        _get_lock_path(path).unlink()


def _get_lock_path(path: Path) -> Path:
    key = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
    return Path(get_data_directory()) / "locks" / f"{key}.lock"


def check_regular_file(path: Path) -> None:
    """Make sure that a path leads to a file that can be read and written whole, or to nothing.

    Raises:
        OSError: when it leads to a directory, a device, a pipe or the like.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "It is no ordinary file", str(path))


def read_regular_file(path: Path, most_bytes: int) -> bytes:
    """The content of a file that somebody names, who may name anything.

    Raises:
        OSError: when it cannot be read, is no ordinary file, or is larger than that.
    """
    check_regular_file(path)
    with path.open("rb") as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        size = f"{most_bytes // 1_000_000} MB"
        raise OSError(errno.EFBIG, f"It is larger than {size}", str(path))
    return data


def _copy_owner(target: Path, temporary: Path) -> None:
    """Give a file to the owner of the one that it replaces; root writes the files of others."""
    if sys.platform == "win32":
        return
    try:
        old = target.stat()
    except FileNotFoundError:
        return
    new = temporary.stat()
    if (old.st_uid, old.st_gid) == (new.st_uid, new.st_gid):
        return
    try:
        os.chown(temporary, old.st_uid, old.st_gid)
    except OSError as error:
        text = "It belongs to another user or group, and would not any more"
        raise PermissionError(error.errno, text, str(target)) from None


def _get_mode(target: Path, mode: int | None) -> int:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return PRIVATE_MODE if mode is None else mode


def _sync_directory(directory: Path) -> None:
    """Have the new name on the disk too; not every system lets a directory be opened."""
    with suppress(OSError):
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
