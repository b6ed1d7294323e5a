"""Safe changes to clients' config files, and backups of the previous contents.

A file is locked against other Paddock processes, read, changed by a function that understands its
format, backed up, replaced atomically, and read back. Clients do not use the lock: if a client
writes the file before it is replaced, the change is planned again from the client's content.

Backups are in Paddock's data directory, readable by their owner only because config files contain
secrets. For each file, the newest backups are kept, plus the oldest, from before the first change.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING, Generic, TypeVar

from msgspec import Struct

from paddock.directories import get_data_directory
from paddock.errors import PaddockError
from paddock.files import check_regular_file, lock_file, write_atomically

if TYPE_CHECKING:
    from collections.abc import Generator

MAX_BACKUPS_PER_FILE = 10
RETRY_DELAYS_SECONDS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8)
"""Delays before each attempt, to avoid a client that is writing the same file."""


class WriteError(PaddockError):
    """A config file could not be read or written, or does not contain what was written."""

    code = "write-not-verified"


class _ConcurrentChangeError(Exception):
    """Another program has changed the file since it was read."""


class FileEdit(Struct, frozen=True):
    """A planned change of a client's configuration file."""

    after: bytes | None
    """The new content; None to delete the file."""
    is_satisfied_by: Callable[[bytes | None], bool]
    """Returns whether the given content includes the change. Its other parts may differ."""
    recording: AbstractContextManager[None] = nullcontext()
    """A context manager for writing the file, which updates the installation records."""


EditT = TypeVar("EditT", bound=FileEdit)
EditPlanner = Callable[[bytes | None, tuple[Path, ...]], EditT]
"""Plans the change of a file, from its content (None if it does not exist) and the directories that
are created for it."""


class AppliedEdit(Struct, Generic[EditT], frozen=True):
    """A completed change to a file."""

    before: bytes | None
    edit: EditT
    backup: Path | None = None


def apply_edit(file: Path, plan_edit: EditPlanner[EditT]) -> AppliedEdit[EditT]:
    """Change a client's configuration file atomically, and keep a backup.

    All writes to clients' files use this function. It reads the file, plans the change, writes the
    file atomically, and reads it again. If another program has changed the file in the meantime,
    the change is planned again with the new content.

    Args:
        file: The file, which does not have to exist.
        plan_edit: Plans the change. Called again for each attempt, so it must not have side
            effects.

    Raises:
        WriteError: The file cannot be written, or another program keeps changing it.
    """
    directories: tuple[Path, ...] = ()
    read_content(file)  # raises an error for circular links, which cannot be locked
    with lock_file(file):
        for delay in RETRY_DELAYS_SECONDS:
            sleep(delay)
            before = read_content(file)
            # An earlier attempt may have created the directories.
            directories = directories or list_missing_directories(file)
            edit = plan_edit(before, directories)
            try:
                with _report_write_errors(file), edit.recording:
                    backup = _write_content(file, before, edit.after)
            except _ConcurrentChangeError:
                continue
            content = read_content(file)
            if content == edit.after or edit.is_satisfied_by(content):
                prune_backups(file)
                return AppliedEdit(before, edit, backup)
            if backup is not None:
                backup.unlink(missing_ok=True)
    raise WriteError(
        "another program keeps writing this file, so the change was lost",
        where=str(file),
        hint="quit the application that the file belongs to, then try again",
    )


def read_content(file: Path) -> bytes | None:
    """Return the content of a client's configuration file, or None if it does not exist.

    Raises:
        WriteError: The file cannot be read, or is not a regular file.
    """
    try:
        check_regular_file(file)
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except (OSError, RuntimeError) as error:  # Python 3.11 raises RuntimeError for circular links
        raise WriteError(f"cannot be read: {_format_reason(error)}", where=str(file)) from None


def list_missing_directories(file: Path) -> tuple[Path, ...]:
    """Return the parent directories of a file that do not exist, the innermost first."""
    missing_directories = []
    for directory in file.resolve().parents:
        if directory.exists():
            break
        missing_directories.append(directory)
    return tuple(missing_directories)


def remove_empty_directories(directories: tuple[Path, ...]) -> None:
    """Remove directories, innermost first, until one is not empty."""
    with suppress(OSError):
        for directory in directories:
            directory.rmdir()


def _write_content(file: Path, before: bytes | None, after: bytes | None) -> Path | None:
    """Replace or delete a file, unless another program has changed it in the meantime.

    Args:
        file: The file.
        before: The content from which the change was planned; None if the file did not exist.
        after: The new content; None to delete the file.

    Returns:
        The backup of the old content, or None if the file is new or does not change.

    Raises:
        WriteError: The file is read-only.
        _ConcurrentChangeError: The file has been changed since it was read.
    """
    if after == before:
        return None
    check_unchanged = partial(_check_unchanged, file, before)
    # The mode is checked because a read-only file can be replaced if its directory is writable.
    if before is not None and not _is_writable(file):
        raise WriteError("the file is read-only", where=str(file), hint="make the file writable")
    backup = create_backup(file, before) if before is not None else None
    try:
        if after is None:
            check_unchanged()
            file.resolve().unlink(missing_ok=True)
        else:
            write_atomically(file, after, before_replacing=check_unchanged)
    except BaseException:
        if backup is not None:  # not needed, because the file has not been changed
            backup.unlink(missing_ok=True)
        raise
    return backup


def _check_unchanged(file: Path, before: bytes | None) -> None:
    if read_content(file) != before:
        raise _ConcurrentChangeError


@contextmanager
def _report_write_errors(file: Path) -> Generator[None]:
    """Convert an `OSError` in the `with` block that writes a file to a `WriteError`.

    After any error, directories that were created for the file are removed again.
    """
    directories = list_missing_directories(file)
    try:
        yield
    except BaseException as error:
        remove_empty_directories(directories)
        if isinstance(error, OSError):
            raise WriteError(
                f"cannot be written: {_format_reason(error)}",
                where=str(error.filename or file),
                hint="the client's file was not changed",
            ) from None
        raise


def _format_reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _is_writable(file: Path) -> bool:
    # By default, os.access checks for the real user, which differs in a setuid program.
    if os.access in os.supports_effective_ids:
        return os.access(file, os.W_OK, effective_ids=True)
    return os.access(file, os.W_OK)


def create_backup(file: Path, content: bytes) -> Path:
    """Write a file's content to a new backup."""
    directory = _get_backup_directory(file)
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    backup = directory / f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S.%f}Z{file.suffix}"
    write_atomically(backup, content)
    return backup


def prune_backups(file: Path) -> None:
    """Delete a file's old backups so that at most `MAX_BACKUPS_PER_FILE` remain.

    The oldest backup is always kept, because it has the content before Paddock's first change.
    """
    for backup in list_backups(file)[MAX_BACKUPS_PER_FILE - 1 : -1]:
        with suppress(OSError):
            backup.unlink()


def list_backups(file: Path) -> list[Path]:
    """Return the backups of a file, the newest first."""
    with suppress(FileNotFoundError):
        # Names that begin with a dot are temporary files of unfinished backups.
        entries = _get_backup_directory(file).iterdir()
        return sorted((entry for entry in entries if entry.name[0] != "."), reverse=True)
    return []


def _get_backup_directory(file: Path) -> Path:
    real_path = file.resolve()
    key = hashlib.sha256(os.fsencode(real_path)).hexdigest()[:12]
    return Path(get_data_directory()) / "backups" / f"{real_path.name}-{key}"
