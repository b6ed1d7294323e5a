"""Session files: the journal of evaluations, and the saved state.

The journal is a text file with a JSON header on the first line and one JSON entry on each of the
other lines. An incomplete last line is the result of a crash. It is ignored, and the next entry
overwrites it. Other unreadable lines are skipped and reported. The state file contains the
session's definitions as of one of the entries. Callers must hold the session's lock.
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
    """The first line of a journal."""

    session: str
    engine: str
    engine_version: str
    schema: int = JOURNAL_SCHEMA


class JournalEntry(msgspec.Struct, frozen=True):
    """An evaluation in the journal, the file that records all of a session's evaluations.

    When a session's kernel is lost, its definitions are restored by replaying the entries.
    """

    line: LineNumber
    """The number in `In[n]`, shared by all expressions of one input."""
    code: str
    """The evaluated code."""
    status: EvaluationStatus
    result: str | None = None
    source: str = ""
    """The user's input, if it differs from `code`."""
    outputs: tuple[EvaluationOutput, ...] = ()
    """The outputs, without the content of images."""
    seconds: float = 0.0
    is_cut: bool = False
    """Whether `result` is only the beginning of the result."""
    id: str = msgspec.field(default_factory=lambda: secrets.token_hex(6))
    """ID that a state file uses to identify the last entry that it includes."""

    @property
    def is_committed(self) -> bool:
        """Whether the evaluation's changes were kept rather than rolled back."""
        return self.status in COMPLETED_STATUSES


class JournalContents(NamedTuple):
    """Entries that `Journal.read_new_entries` has read from a journal."""

    entries: list[JournalEntry]
    is_replaced: bool = False
    """Whether the file was replaced since the last call and therefore read from the beginning."""
    unreadable_lines: tuple[int, ...] = ()
    """Line numbers of skipped lines. The header is line 1."""


class Journal:
    """A journal file, and the position up to which it has been read.

    Multiple processes may append to the file, each while holding the session's lock. The stored
    position shows what the others have added.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size_bytes = 0
        """Number of bytes read or written so far."""
        self._line_count = 0
        self._identity: tuple[int, int] | None = None

    def read_new_entries(self) -> JournalContents:
        """Return the entries that other processes have added since the file was last read.

        If the file was replaced or has become shorter, it is read again from the beginning.

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
            content = file.read()
        # If a process ended while writing the last line, the line is incomplete. It is not read,
        # and `append` overwrites it.
        complete_lines = content[: content.rfind(b"\n") + 1]
        lines = complete_lines.splitlines()
        if start:
            entries, unreadable = _parse_entries(lines, self._line_count + 1)
        else:
            self._line_count = 0
            entries, unreadable = _parse_entries(lines[1:], 2)
            header_error = _describe_header_fault(lines, content)
            if header_error and not entries:
                raise BrokenJournalError(header_error)
            unreadable = (1, *unreadable) if header_error else unreadable
        self._identity, self.size_bytes = identity, start + len(complete_lines)
        self._line_count += len(lines)
        return JournalContents(entries, is_replaced, unreadable)

    def is_current(self) -> bool:
        """Return whether the file is unchanged since this process last read or wrote it.

        Raises:
            OSError: The file's status cannot be read.
        """
        status = self.path.stat()
        return (status.st_dev, status.st_ino, status.st_size) == (
            *(self._identity or ()),
            self.size_bytes,
        )

    def sync(self) -> None:
        """Flush the file to disk so that its entries survive a system crash.

        Raises:
            OSError: The file cannot be flushed.
        """
        handle = os.open(self.path, os.O_RDWR | _NONBLOCKING_FLAGS)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def rewrite(self, header: JournalHeader, entries: Sequence[JournalEntry]) -> None:
        """Replace the whole file with a header and entries, one JSON document per line.

        Raises:
            OSError: The file cannot be written. It is unchanged.
        """
        content = b"".join(msgspec.json.encode(line) + b"\n" for line in (header, *entries))
        write_atomically(self.path, content)
        status = self.path.stat()
        self._identity, self.size_bytes = (status.st_dev, status.st_ino), len(content)
        self._line_count = 1 + len(entries)

    def append(self, header: JournalHeader, entries: Sequence[JournalEntry]) -> None:
        """Append entries to the file, creating it with a header if it does not exist.

        The caller must hold the session's lock, so that no other process writes to the file.

        Raises:
            OSError: The file cannot be written. It is left unchanged if possible.
        """
        text = b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | _NONBLOCKING_FLAGS, PRIVATE_MODE)
        try:
            status = _require_regular_file(handle)
            identity = status.st_dev, status.st_ino
            # The file is new, or another process has replaced it.
            if identity != self._identity:
                self._identity, self.size_bytes, self._line_count = identity, 0, 0
            if self.size_bytes == 0:
                text = msgspec.json.encode(header) + b"\n" + text
            # A process that ended while writing may have left an incomplete last line.
            if status.st_size > self.size_bytes:
                os.ftruncate(handle, self.size_bytes)
            _write_at(handle, text, self.size_bytes)
        finally:
            os.close(handle)
        self.size_bytes += len(text)
        self._line_count += text.count(b"\n")


def _write_at(handle: int, data: bytes, offset: int) -> None:
    """Write data at an offset in a file, removing any partial data if that fails.

    Args:
        handle: The file's descriptor. The file ends at the offset.
        data: The bytes to write.
        offset: The position in the file.

    Raises:
        OSError: The data cannot be written.
    """
    os.lseek(handle, offset, os.SEEK_SET)
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(handle, view) :]
    except OSError:
        # The disk may be full. A partial entry must not remain, because it would make the next
        # entry unreadable.
        os.ftruncate(handle, offset)
        raise


def _require_regular_file(handle: int) -> os.stat_result:
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file")
    return status


def _describe_header_fault(lines: list[bytes], data: bytes) -> str:
    """Return a description of the fault in a journal's header, the first line of the file.

    The description is empty if the header is valid, or if the file is empty.

    Args:
        lines: The complete lines of the file.
        data: The whole content of the file.

    Raises:
        BrokenJournalError: The header is valid, but its format is not supported.
    """
    # After a system crash, a file may consist only of null bytes. It counts as empty.
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
    """Decode journal lines.

    Args:
        lines: The lines, each of which contains an entry as JSON.
        first_line: The number of the first of these lines in the file.

    Returns:
        The entries, and the numbers of the lines that cannot be decoded.
    """
    entries, unreadable_lines = [], []
    for line_number, line in enumerate(lines, first_line):
        try:
            entries.append(msgspec.json.decode(line, type=JournalEntry))
        except ValueError:
            unreadable_lines.append(line_number)
    return entries, tuple(unreadable_lines)


class SavedState(msgspec.Struct, frozen=True):
    """Content of a state file: a session's definitions as of one of its evaluations.

    Attributes:
        engine: The name of the engine that saved the definitions.
        engine_version: The version of the engine.
        last: The ID of the last journal entry whose definitions are included.
        definitions: The definitions, encoded by the engine.
    """

    engine: str
    engine_version: str
    last: str
    definitions: bytes

    def count_included_entries(self, entries: Sequence[JournalEntry]) -> int:
        """Return the number of journal entries whose definitions the state includes.

        The result is 0 if the state does not belong to the journal.

        Args:
            entries: All entries of the journal.
        """
        for index in range(len(entries), 0, -1):
            if entries[index - 1].id == self.last:
                return index
        return 0


def read_saved_state(path: Path) -> SavedState | None:
    """Read a session's state file, which contains its saved definitions.

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
