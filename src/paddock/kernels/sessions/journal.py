"""The journal of a session: a file to which each evaluation adds a line.

The first line tells what it is the journal of. A last line without its end was being written when
the power or the process went; it is ignored, and cut off by the next writer. Other lines that
cannot be read are left out, and told. Callers hold the lock.

The state file of a session: the definitions after some entry of its journal.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec

from paddock.files import PRIVATE_MODE, check_regular_file, write_atomically
from paddock.kernels.kernel import EvaluationStatus, OutputKind

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


JOURNAL_SCHEMA = 1
_NONBLOCKING_FLAGS = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A pipe with the name of a journal must not be waited for."""
LineNumber = Annotated[int, msgspec.Meta(ge=1, le=1_000_000_000)]


class BrokenJournalError(Exception):
    """A journal cannot be understood; told to the user as a note, never raised to them."""


class JournalHeader(msgspec.Struct, frozen=True):
    """The first line."""

    session: str
    engine: str
    engine_version: str
    schema: int = JOURNAL_SCHEMA


class StoredOutput(msgspec.Struct, frozen=True, omit_defaults=True):
    """An output as the journal keeps it: pictures are named, not kept."""

    kind: OutputKind
    text: str = ""
    mime: str = ""


class JournalEntry(msgspec.Struct, frozen=True):
    """One evaluation."""

    line: LineNumber
    """The number in `In[n]`; several expressions of one input have the same."""
    code: str
    """What was evaluated."""
    status: EvaluationStatus
    result: str | None = None
    source: str = ""
    """What the user wrote, where it is not the code."""
    outputs: tuple[StoredOutput, ...] = ()
    seconds: float = 0.0
    is_cut: bool = False
    """Whether the result is only the beginning of what it was."""
    id: str = msgspec.field(default_factory=lambda: secrets.token_hex(6))
    """By which a state file names the last evaluation that it includes."""

    @property
    def is_committed(self) -> bool:
        """Whether the session's state has what this evaluation did: others were taken back."""
        return self.status in {"done", "failed"}


class JournalContents(NamedTuple):
    """What was read of a journal."""

    entries: list[JournalEntry]
    is_replaced: bool = False
    """Whether the file is another one than before, and was read from its beginning."""
    unreadable_lines: tuple[int, ...] = ()
    """The lines of the file that were left out; its header is line 1."""


class Journal:
    """A journal's file, and how far it has been read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size_bytes = 0
        """How many bytes of it have been read or written."""
        self._line_count = 0
        self._identity: tuple[int, int] | None = None

    def read_new(self) -> JournalContents:
        """The entries since the last reading.

        Raises:
            BrokenJournalError: when it is no journal, and nothing in it can be read.
            OSError: when it cannot be read; FileNotFoundError when there is none.
        """
        handle = os.open(self.path, os.O_RDONLY | _NONBLOCKING_FLAGS)
        with os.fdopen(handle, "rb") as file:
            found = _require_regular_file(handle)
            identity = found.st_dev, found.st_ino
            is_other = identity != self._identity or found.st_size < self.size_bytes
            start = 0 if is_other else self.size_bytes
            if found.st_size == start and not is_other:
                return JournalContents([])
            file.seek(start)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        lines = whole.splitlines()
        first = self._line_count + 1 if start else 1
        fault = "" if start else _find_header_error(lines, data)
        rest = lines if start else lines[1:]
        entries, unreadable = _parse_entries(rest, first if start else 2)
        if fault and not entries:
            raise BrokenJournalError(fault)
        self._identity, self.size_bytes = identity, start + len(whole)
        self._line_count = first - 1 + len(lines)
        return JournalContents(entries, is_other, ((1,) if fault else ()) + unreadable)

    def is_current(self) -> bool:
        """Whether nobody else has written since.

        Raises:
            OSError: when that cannot be seen.
        """
        found = self.path.stat()
        return (found.st_dev, found.st_ino, found.st_size) == (
            *(self._identity or ()),
            self.size_bytes,
        )

    def sync(self) -> None:
        """Have on the disk what was written, before something that relies on it.

        Raises:
            OSError: when that cannot be done.
        """
        handle = os.open(self.path, os.O_RDWR | _NONBLOCKING_FLAGS)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

    def rewrite(self, header: JournalHeader, entries: Sequence[JournalEntry]) -> None:
        """Put entries in the place of the whole file.

        Raises:
            OSError: when they cannot be written; the file is then as before.
        """
        text = b"".join(msgspec.json.encode(each) + b"\n" for each in (header, *entries))
        write_atomically(self.path, text)
        found = self.path.stat()
        self._identity, self.size_bytes = (found.st_dev, found.st_ino), len(text)
        self._line_count = 1 + len(entries)

    def append(self, header: JournalHeader, entries: Sequence[JournalEntry]) -> None:
        """Add entries after what has been read, on a new file after a header.

        Raises:
            OSError: when they cannot be written; the file is then as before, as far as possible.
        """
        text = b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT | _NONBLOCKING_FLAGS, PRIVATE_MODE)
        try:
            found = _require_regular_file(handle)
            identity = found.st_dev, found.st_ino
            if identity != self._identity:
                self._identity, self.size_bytes, self._line_count = identity, 0, 0
            if self.size_bytes == 0:
                text = msgspec.json.encode(header) + b"\n" + text
            if found.st_size > self.size_bytes:
                os.ftruncate(handle, self.size_bytes)
            _write_at(handle, text, self.size_bytes)
        finally:
            os.close(handle)
        self.size_bytes += len(text)
        self._line_count += text.count(b"\n")


def _write_at(handle: int, data: bytes, place: int) -> None:
    os.lseek(handle, place, os.SEEK_SET)
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(handle, view) :]
    except OSError:
        os.ftruncate(handle, place)
        raise


def _require_regular_file(handle: int) -> os.stat_result:
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode):
        raise OSError(errno.EINVAL, "It is no ordinary file")
    return found


def _find_header_error(lines: list[bytes], data: bytes) -> str:
    """What is wrong with the beginning of a file; nothing for one with nothing in it yet."""
    if not lines and not data.strip(b"\0"):
        return ""
    try:
        header = msgspec.json.decode(lines[0], type=JournalHeader)
    except (IndexError, ValueError) as error:
        return f"its first line is not that of a journal ({error})"
    if header.schema != JOURNAL_SCHEMA:
        raise BrokenJournalError(f"it has format {header.schema}, and {JOURNAL_SCHEMA} is known")
    return ""


def _parse_entries(lines: list[bytes], first: int) -> tuple[list[JournalEntry], tuple[int, ...]]:
    """The entries of lines, and the numbers of those that are none."""
    found, unreadable = [], []
    for number, line in enumerate(lines, first):
        try:
            found.append(msgspec.json.decode(line, type=JournalEntry))
        except ValueError:
            unreadable.append(number)
    return found, tuple(unreadable)


class SavedState(msgspec.Struct, frozen=True):
    """Definitions, whose they are, and the last entry of the journal that they include."""

    engine: str
    engine_version: str
    last: str
    definitions: bytes

    def count_included_entries(self, entries: Sequence[JournalEntry]) -> int:
        """How many entries it includes; 0 when it is not of this journal, as that is now."""
        for index in range(len(entries), 0, -1):
            if entries[index - 1].id == self.last:
                return index
        return 0


def read_saved_state(path: Path, engine: str | None = None) -> SavedState | None:
    """What was saved, by an engine if one is named; None when there is nothing to be used."""
    try:
        check_regular_file(path)
        found = msgspec.msgpack.decode(path.read_bytes(), type=SavedState)
    except (OSError, ValueError):
        return None
    return found if engine in {None, found.engine} else None


def write_saved_state(path: Path, state: SavedState) -> None:
    """Save definitions.

    Raises:
        OSError: when they cannot be written; what was saved before is still there.
    """
    write_atomically(path, msgspec.msgpack.encode(state))
