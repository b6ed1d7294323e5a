"""Files of a session: its journal of evaluations, and its saved state.

The journal is a text file with a JSON header in its first line and one JSON entry per further line.
An incomplete last line is the result of a crash. It is ignored, and overwritten by the next entry.
Other unreadable lines are skipped and reported. The state file contains the definitions that the
session had after one of the entries. Callers must hold the session's lock.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec

from paddock.files import PRIVATE_MODE, check_regular_file, write_atomically
from paddock.kernels.kernel import COMPLETED_STATUSES, EvaluationOutput, EvaluationStatus

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


JOURNAL_SCHEMA = 1
_NONBLOCKING_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""Opening must not block if the path is a named pipe."""
LineNumber = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]


class BrokenJournalError(Exception):
    """A journal has no readable content. Shown to the user as a note, never as an error."""


class JournalHeader(msgspec.Struct, frozen=True):
    """First line of a journal."""

    session: str
    engine: str
    engine_version: str
    schema: int = JOURNAL_SCHEMA


class JournalEntry(msgspec.Struct, frozen=True):
    """An evaluation in the journal."""

    line: LineNumber
    """The number in `In[n]`, shared by all expressions of one input."""
    code: str
    """The evaluated code."""
    status: EvaluationStatus
    result: str | None = None
    source: str = ""
    """The user's input, if it differs from `code`."""
    outputs: tuple[EvaluationOutput, ...] = ()
    """The outputs without the content of images."""
    seconds: float = 0.0
    is_cut: bool = False
    """Whether `result` is only the beginning of the result."""
    id: str = msgspec.field(default_factory=lambda: secrets.token_hex(6))
    """Identifies the last entry that a state file includes."""

    @property
    def is_committed(self) -> bool:
        """Whether the evaluation's changes were kept, not rolled back."""
        return self.status in COMPLETED_STATUSES


class JournalContents(NamedTuple):
    """Entries that were read from a journal."""

    entries: list[JournalEntry]
    is_replaced: bool = False
    """Whether the file was replaced since the last call, and was read from its beginning."""
    unreadable_lines: tuple[int, ...] = ()
    """Line numbers of skipped lines. The header is line 1."""


class Journal:
    """A journal file and the position up to which it has been read.

    Several processes may append to the file, each while it holds the session's lock. The remembered
    position shows what the others have added.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size_bytes = 0
        """Number of bytes that have been read or written."""
        self._line_count = 0
        self._identity: tuple[int, int] | None = None

    def read_new(self) -> JournalContents:
        """Return the entries that were added since the last call.

        If the file was replaced or has become shorter, it is read again from its beginning.

        Raises:
            BrokenJournalError: The file is not a journal, and no entry can be read.
            OSError: The file cannot be read. FileNotFoundError means that it does not exist.
        """
        handle = os.open(self.path, os.O_RDONLY | _NONBLOCKING_FLAGS)
        with os.fdopen(handle, "rb") as file:
            status = _require_regular_file(handle)
            identity = status.st_dev, status.st_ino
            is_replaced = identity != self._identity or status.st_size < self.size_bytes
            start = 0 if is_replaced else self.size_bytes
            if status.st_size == start and not is_replaced:
                return JournalContents([])
            file.seek(start)
            data = file.read()
        # Another process may not have finished writing the last line. `append` removes such a line.
        complete = data[: data.rfind(b"\n") + 1]
        lines = complete.splitlines()
        if start:
            entries, unreadable = _parse_entries(lines, self._line_count + 1)
        else:
            self._line_count = 0
            entries, unreadable = _parse_entries(lines[1:], 2)
            header_error = _find_header_error(lines, data)
            if header_error and not entries:
                raise BrokenJournalError(header_error)
            unreadable = (1, *unreadable) if header_error else unreadable
        self._identity, self.size_bytes = identity, start + len(complete)
        self._line_count += len(lines)
        return JournalContents(entries, is_replaced, unreadable)

    def is_current(self) -> bool:
        """Return whether no other process has written to the file since it was read.

        Raises:
            OSError: The file's status cannot be read.
        """
        status = self.path.stat()
        return (status.st_dev, status.st_ino, status.st_size) == (
            *(self._identity or ()),
            self.size_bytes,
        )

    def sync(self) -> None:
        """Flush the file to disk.

        Raises:
            OSError: The file cannot be flushed.
        """
        handle = os.open(self.path, os.O_RDWR | _NONBLOCKING_FLAGS)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def rewrite(self, header: JournalHeader, entries: Sequence[JournalEntry]) -> None:
        """Replace the whole file.

        Raises:
            OSError: The file cannot be written. It is unchanged.
        """
        text = b"".join(msgspec.json.encode(line) + b"\n" for line in (header, *entries))
        write_atomically(self.path, text)
        status = self.path.stat()
        self._identity, self.size_bytes = (status.st_dev, status.st_ino), len(text)
        self._line_count = 1 + len(entries)

    def append(self, header: JournalHeader, entries: Sequence[JournalEntry]) -> None:
        """Append entries to the file.

        A new file also gets a header.

        Raises:
            OSError: The file cannot be written. It is unchanged as far as possible.
        """
        text = b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | _NONBLOCKING_FLAGS, PRIVATE_MODE)
        try:
            status = _require_regular_file(handle)
            identity = status.st_dev, status.st_ino
            # A new file, or one with which another process has replaced the journal.
            if identity != self._identity:
                self._identity, self.size_bytes, self._line_count = identity, 0, 0
            if self.size_bytes == 0:
                text = msgspec.json.encode(header) + b"\n" + text
            # An incomplete last line was left by a process that did not finish writing it.
            if status.st_size > self.size_bytes:
                os.ftruncate(handle, self.size_bytes)
            _write_at(handle, text, self.size_bytes)
        finally:
            os.close(handle)
        self.size_bytes += len(text)
        self._line_count += text.count(b"\n")


def _write_at(handle: int, data: bytes, offset: int) -> None:
    """Write data at an offset, or nothing at all."""
    os.lseek(handle, offset, os.SEEK_SET)
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(handle, view) :]
    except OSError:
        # The disk may be full. A partial entry must not remain, because it would make the next one
        # unreadable.
        os.ftruncate(handle, offset)
        raise


def _require_regular_file(handle: int) -> os.stat_result:
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file")
    return status


def _find_header_error(lines: list[bytes], data: bytes) -> str:
    """Return a description of the fault in the header.

    It is empty for a valid header and for an empty file.
    """
    if not lines and not data.strip(b"\0"):
        return ""
    try:
        header = msgspec.json.decode(lines[0], type=JournalHeader)
    except (IndexError, ValueError) as error:
        return f"its first line is not a journal header ({error})"
    if header.schema != JOURNAL_SCHEMA:
        raise BrokenJournalError(
            f"its format is {header.schema}; only {JOURNAL_SCHEMA} is supported"
        )
    return ""


def _parse_entries(
    lines: list[bytes], first_line: int
) -> tuple[list[JournalEntry], tuple[int, ...]]:
    """Return the entries of the lines, and the numbers of unreadable lines."""
    entries, unreadable = [], []
    for number, line in enumerate(lines, first_line):
        try:
            entries.append(msgspec.json.decode(line, type=JournalEntry))
        except ValueError:
            unreadable.append(number)
    return entries, tuple(unreadable)


class SavedState(msgspec.Struct, frozen=True):
    """Saved definitions with their engine and the last journal entry that they include."""

    engine: str
    engine_version: str
    last: str
    definitions: bytes

    def count_included_entries(self, entries: Sequence[JournalEntry]) -> int:
        """Return how many entries the state includes.

        The result is 0 if the state does not belong to the journal.
        """
        for index in range(len(entries), 0, -1):
            if entries[index - 1].id == self.last:
                return index
        return 0


def read_saved_state(path: Path) -> SavedState | None:
    """Read a state file.

    Returns None if the file is missing or invalid.
    """
    try:
        check_regular_file(path)
        return msgspec.msgpack.decode(path.read_bytes(), type=SavedState)
    except (OSError, ValueError):
        return None


def write_saved_state(path: Path, state: SavedState) -> None:
    """Write a state file.

    Raises:
        OSError: The file cannot be written. The previous one is unchanged.
    """
    write_atomically(path, msgspec.msgpack.encode(state))
