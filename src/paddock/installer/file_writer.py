"""Changing a client's file so that nothing is ever lost.

The file is locked against other Paddock processes, read, changed by a function that understands it,
backed up, written whole in one step, and read back. A client knows nothing of our lock: whatever it
writes before our step makes us begin again from what it wrote. What is written is none of this
module's business.

Copies of clients' files as they were before Paddock changed them.

They stand in Paddock's own directory, readable by their owner only, because such files hold
secrets. Of each file the newest few are kept, and the oldest, from before our first change.
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
from typing import TYPE_CHECKING

from msgspec import Struct

from paddock.directories import get_data_directory
from paddock.errors import PaddockError
from paddock.files import check_regular_file, lock_file, write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator


MAX_BACKUPS_PER_FILE = 10
"""How many backups of one file there are at most."""


def create_backup(file: Path, content: bytes) -> Path:
    """Keep what a file holds."""
    directory = _get_backup_directory(file)
    directory.mkdir(parents=True, exist_ok=True, mode=0o700)
    place = directory / f"{datetime.now(UTC):%Y-%m-%dT%H-%M-%S.%f}Z{file.suffix}"
    write_atomically(place, content)
    return place


def prune_backups(file: Path) -> None:
    """Forget backups of a file that are too many; the first one stays."""
    for old in list_backups(file)[MAX_BACKUPS_PER_FILE - 1 : -1]:
        with suppress(OSError):
            old.unlink()


def list_backups(file: Path) -> list[Path]:
    """The backups of a file, the newest first."""
    with suppress(FileNotFoundError):
        # Names that begin with a dot belong to a backup that was being written.
        found = [place for place in _get_backup_directory(file).iterdir() if place.name[0] != "."]
        return sorted(found, reverse=True)
    return []


def _get_backup_directory(file: Path) -> Path:
    real = file.resolve()
    key = hashlib.sha256(os.fsencode(real)).hexdigest()[:12]
    return Path(get_data_directory()) / "backups" / f"{real.name}-{key}"


RETRY_DELAYS_SECONDS = (0.0, 0.05, 0.1, 0.2, 0.4, 0.8)
"""Seconds before each time that we begin, since a client writes the same file."""


class WriteError(PaddockError):
    """A client's file could not be written, or does not hold what was written."""

    code = "write-not-verified"


class _ConcurrentChangeError(Exception):
    """Somebody has written the file since we read it."""


class FileEdit(Struct, frozen=True):
    """What has to become of a file."""

    after: bytes | None
    """None: there must be no such file."""
    is_satisfied_by: Callable[[bytes | None], bool]
    """Whether a file has what this change is for, whatever else is in it."""


class FileEditResult(Struct, frozen=True):
    """What was done to a file."""

    before: bytes | None
    after: bytes | None
    backup: Path | None = None


FileEditor = Callable[[bytes | None], FileEdit]
"""Says what has to become of a file's content; None stands for a file that does not exist."""
EditJournal = Callable[[tuple[Path, ...]], AbstractContextManager[None]]
"""Entered before a file is written, with the directories that have to be made for it, and left
after; an error passes through it."""


def apply_edit(
    file: Path, editor: FileEditor, journal: EditJournal | None = None
) -> FileEditResult:
    """Change a file, all of it or nothing.

    Raises:
        WriteError: when it cannot be written, or others do not stop writing it.
    """
    made: tuple[Path, ...] = ()
    read_content(file)  # links in a circle have no lock either
    with lock_file(file):
        for pause in RETRY_DELAYS_SECONDS:
            sleep(pause)
            before = read_content(file)
            edit = editor(before)
            made = made or list_missing_directories(file)
            entered = journal(made) if journal else nullcontext()
            try:
                with _report_write_errors(file), entered:
                    backup = _write_content(file, before, edit.after)
            except _ConcurrentChangeError:
                continue
            now = read_content(file)
            if now == edit.after or edit.is_satisfied_by(now):
                prune_backups(file)
                return FileEditResult(before, edit.after, backup)
            if backup is not None:
                backup.unlink(missing_ok=True)
    raise WriteError(
        "another program keeps writing this file, and our change does not stay",
        where=str(file),
        hint="quit the application that it belongs to, then try again",
    )


def read_content(file: Path) -> bytes | None:
    """What a file holds; None when there is none.

    Raises:
        WriteError: when it cannot be read.
    """
    try:
        check_regular_file(file)
        return file.read_bytes()
    except FileNotFoundError:
        return None
    except (OSError, RuntimeError) as error:  # Python 3.11 tells of a circle of links like this
        raise WriteError(f"cannot be read: {_format_reason(error)}", where=str(file)) from None


def list_missing_directories(file: Path) -> tuple[Path, ...]:
    """The directories that have to be made before a file can be written, the innermost first."""
    missing = []
    for directory in file.resolve().parents:
        if directory.exists():
            break
        missing.append(directory)
    return tuple(missing)


def remove_empty_directories(directories: tuple[Path, ...]) -> None:
    """Remove directories of ours that are empty, the innermost first."""
    with suppress(OSError):
        for directory in directories:
            directory.rmdir()


def _write_content(file: Path, before: bytes | None, after: bytes | None) -> Path | None:
    if after == before:
        return None
    unchanged = partial(_check_unchanged, file, before)
    if before is not None and not _is_writable(file):
        raise WriteError("the file is read-only", where=str(file), hint="make it writable")
    backup = create_backup(file, before) if before is not None else None
    try:
        if after is None:
            unchanged()
            file.resolve().unlink(missing_ok=True)
        else:
            write_atomically(file, after, before_replacing=unchanged)
    except BaseException:
        if backup is not None:  # of a change that was not made
            backup.unlink(missing_ok=True)
        raise
    return backup


def _check_unchanged(file: Path, before: bytes | None) -> None:
    if read_content(file) != before:
        raise _ConcurrentChangeError


@contextmanager
def _report_write_errors(file: Path) -> Iterator[None]:
    """Tell of what the system refuses, and leave no directories behind."""
    made = list_missing_directories(file)
    try:
        yield
    except BaseException as error:
        remove_empty_directories(made)
        if isinstance(error, OSError):
            raise WriteError(
                f"cannot be written: {_format_reason(error)}",
                where=str(error.filename or file),
                hint="the client's file is as it was",
            ) from None
        raise


def _format_reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _is_writable(file: Path) -> bool:
    """Whether this process may write; renaming would replace even what it may not."""
    if os.access in os.supports_effective_ids:
        return os.access(file, os.W_OK, effective_ids=True)
    return os.access(file, os.W_OK)
