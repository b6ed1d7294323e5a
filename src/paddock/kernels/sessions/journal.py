"""The journal of a session: a file to which each evaluation adds a line.

The first line tells what it is the journal of. A last line without its end was being written when
the power or the process went; it is ignored, and cut off by the next writer. Callers hold the lock.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import msgspec

from paddock.files import PRIVATE
from paddock.kernels.outcome import OutputKind, Status

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SCHEMA = 1


class BrokenJournalError(Exception):
    """A journal cannot be understood; told to the user as a note, never raised to them."""


class Header(msgspec.Struct, frozen=True):
    """The first line."""

    session: str
    engine: str
    engine_version: str
    schema: int = SCHEMA


class Shown(msgspec.Struct, frozen=True, omit_defaults=True):
    """An output as the journal keeps it: pictures are named, not kept."""

    kind: OutputKind
    text: str = ""
    mime: str = ""


class Entry(msgspec.Struct, frozen=True):
    """One evaluation."""

    line: int
    """The number in `In[n]`; several expressions of one input have the same."""
    code: str
    """What was evaluated."""
    status: Status
    result: str | None = None
    source: str = ""
    """What the user wrote, where it is not the code."""
    outputs: tuple[Shown, ...] = ()
    seconds: float = 0.0

    @property
    def is_lasting(self) -> bool:
        """Whether the session's state has what this evaluation did: others were taken back."""
        return self.status in {"done", "failed"}


class Journal:
    """A journal's file, and how far it has been read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._size = 0
        self._identity: tuple[int, int] | None = None

    def read_new(self) -> tuple[list[Entry], bool]:
        """The entries since the last reading, and whether the file is another one than before.

        A file that is another one is read from its beginning.

        Raises:
            BrokenJournalError: when it is no journal.
            OSError: when it cannot be read; FileNotFoundError when there is none.
        """
        with self.path.open("rb") as file:
            found = os.fstat(file.fileno())
            identity = found.st_dev, found.st_ino
            is_other = identity != self._identity or found.st_size < self._size
            start = 0 if is_other else self._size
            if found.st_size == start and not is_other:
                return [], False
            file.seek(start)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        lines = whole.splitlines()
        entries = _entries(lines if start else _without_header(lines, data))
        self._identity, self._size = identity, start + len(whole)
        return entries, is_other

    def append(self, header: Header, entries: Sequence[Entry]) -> None:
        """Add entries after what has been read, on a new file after a header.

        Raises:
            OSError: when they cannot be written; the file is then as before, as far as possible.
        """
        text = b"".join(msgspec.json.encode(entry) + b"\n" for entry in entries)
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT, PRIVATE)
        try:
            found = os.fstat(handle)
            identity = found.st_dev, found.st_ino
            if identity != self._identity:
                self._identity, self._size = identity, 0
            if self._size == 0:
                text = msgspec.json.encode(header) + b"\n" + text
            if found.st_size > self._size:
                os.ftruncate(handle, self._size)
            _write(handle, text, self._size)
        finally:
            os.close(handle)
        self._size += len(text)


def _write(handle: int, data: bytes, place: int) -> None:
    os.lseek(handle, place, os.SEEK_SET)
    view = memoryview(data)
    try:
        while view:
            view = view[os.write(handle, view) :]
    except OSError:
        os.ftruncate(handle, place)
        raise


def _without_header(lines: list[bytes], data: bytes) -> list[bytes]:
    if not lines and not data.strip(b"\0"):
        return []  # made, and nothing written yet
    try:
        header = msgspec.json.decode(lines[0], type=Header)
    except (IndexError, ValueError) as error:
        raise BrokenJournalError(f"its first line is not that of a journal ({error})") from None
    if header.schema != SCHEMA:
        raise BrokenJournalError(f"it has format {header.schema}, and {SCHEMA} is known")
    return lines[1:]


def _entries(lines: list[bytes]) -> list[Entry]:
    found = []
    for line in lines:
        try:
            found.append(msgspec.json.decode(line, type=Entry))
        except ValueError as error:
            raise BrokenJournalError(f"a line of it cannot be read ({error})") from None
    return found
