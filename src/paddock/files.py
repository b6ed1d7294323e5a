"""Atomic writes and inter-process locks for the user's files.

New content is flushed to disk before it replaces the old file, so a full disk or a crash leaves the
old content intact. Lock files are kept in Paddock's data directory, never beside the user's files.
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
    """A file in Paddock's data directory cannot be read or written."""

    code = "data-directory"


class FileBusyError(PaddockError):
    """Another process has held the lock of a file for too long."""

    code = "file-busy"


def write_atomically(
    path: Path,
    data: bytes,
    *,
    mode: int | None = None,
    is_new: bool = False,
    before_replacing: Callable[[], None] | None = None,
) -> None:
    """Replace the content of a file, completely or not at all.

    If `path` is a symbolic link, its target is written. An existing file keeps its owner and mode.

    Args:
        path: The file to write. Missing parent directories are created.
        data: The new content.
        mode: Permissions of a new file; by default only its owner can read it.
        is_new: Fail if the file exists, or appears while the data is written.
        before_replacing: Called immediately before the file is replaced. If it raises, the old
            content stays.

    Raises:
        FileExistsError: `is_new` is set and the file exists.
        OSError: The path is a directory, device or pipe, or cannot be written.
    """
    target = path.resolve()
    check_regular_file(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    # A rename is atomic only within one file system, hence the directory of the target.
    descriptor, temporary_name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    temporary = Path(temporary_name)
    try:
        with os.fdopen(descriptor, "wb") as file:
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
    """Rename a temporary file to its final name, unless a file with this name exists.

    Raises:
        FileExistsError: The target exists.
    """
    try:
        # Unlike a rename, creating a hard link fails if the name exists. On file systems without
        # hard links, another process can create the file between the check and the rename.
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
    """Return whether a path exists; an inaccessible or malformed path counts as missing."""
    try:
        path.stat()
    except (OSError, RuntimeError, ValueError):
        return False
    return True


@contextmanager
def convert_os_errors(path: Path) -> Iterator[None]:
    """Convert an `OSError` in the `with` block to a `DataDirectoryError`.

    Args:
        path: The file in the data directory that the error concerns if it has no file name.
    """
    try:
        yield
    except OSError as error:
        raise DataDirectoryError(
            f"cannot be used: {error.strerror or error}",
            where=str(error.filename or path),
            hint=f"set {DATA_DIRECTORY_VARIABLE} to a writable directory",
        ) from None


@contextmanager
def lock_file(path: Path, *, seconds: float = LOCK_TIMEOUT_SECONDS) -> Iterator[int | None]:
    """Hold the lock of a file in a `with` block, so that no other process changes the file.

    The lock only affects Paddock's own processes, which use it before they change the file. If
    another process holds the lock, this function waits for up to `seconds`.

    Yields:
        The descriptor that holds the lock, or None on Windows. A child process that inherits the
        descriptor also holds the lock until it exits.

    Raises:
        FileBusyError: Another process did not release the lock in time.
        DataDirectoryError: The lock file cannot be created.
    """
    lock_path = _get_lock_path(path)
    lock = FileLock(lock_path, timeout=seconds, mode=PRIVATE_MODE)
    with convert_os_errors(lock_path):
        lock_path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire()
        except Timeout:  # a subclass of OSError, so it must be caught before convert_os_errors
            raise FileBusyError(
                f"another paddock process has been changing it for {seconds:.0f} s",
                where=str(path),
                hint="wait for that process or end it, then try again",
            ) from None
    try:
        lock_context = lock._context  # noqa: SLF001 - filelock has no public access to the descriptor
        yield None if sys.platform == "win32" else lock_context.lock_file_fd
    finally:
        lock.release()


def delete_lock_file(path: Path) -> None:
    """Delete the lock file that belongs to a deleted file. The caller must hold the lock.

    Another process that has opened the lock file notices the deletion and creates a new one.
    """
    with suppress(OSError):  # Windows cannot delete an open file
        _get_lock_path(path).unlink()


def _get_lock_path(path: Path) -> Path:
    key = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:32]
    return Path(get_data_directory()) / "locks" / f"{key}.lock"


def check_regular_file(path: Path) -> None:
    """Raise an error if a path exists and is not a regular file.

    Reading a pipe can block forever, and reading a device can return data without end.

    Raises:
        OSError: The path is a directory, device, pipe or socket.
    """
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "not a regular file", str(path))


def read_regular_file(path: Path, most_bytes: int) -> bytes:
    """Return the content of a file whose path comes from an untrusted source.

    Args:
        path: The file.
        most_bytes: The maximum size of the file.

    Raises:
        OSError: The file cannot be read, is not a regular file, or exceeds `most_bytes`.
    """
    check_regular_file(path)
    with path.open("rb") as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        size = f"{most_bytes // 1_000_000} MB"
        raise OSError(errno.EFBIG, f"larger than {size}", str(path))
    return data


def _copy_owner(target: Path, temporary: Path) -> None:
    """Set the owner and group of a temporary file to those of the file that it will replace.

    Does nothing on Windows, or if the target does not exist.

    Raises:
        PermissionError: The target belongs to another user, and only root may change the owner.
    """
    if sys.platform == "win32":
        return
    try:
        target_status = target.stat()
    except FileNotFoundError:
        return
    temporary_status = temporary.stat()
    target_owner = (target_status.st_uid, target_status.st_gid)
    if target_owner == (temporary_status.st_uid, temporary_status.st_gid):
        return
    try:
        os.chown(temporary, *target_owner)
    except OSError as error:
        text = "belongs to another user or group, and replacing it would change the owner"
        raise PermissionError(error.errno, text, str(target)) from None


def _get_mode(target: Path, mode: int | None) -> int:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return PRIVATE_MODE if mode is None else mode


def _sync_directory(directory: Path) -> None:
    """Flush a directory to disk, so that a rename in it survives a crash."""
    with suppress(OSError):  # Windows cannot open directories
        descriptor = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
