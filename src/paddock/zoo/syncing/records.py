"""What is remembered of a project: which files are which agents, and how they were in step.

It is kept with the user's data and not in the project, for it is about this user's zoo.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from paddock.directories import data_directory
from paddock.files import locked, read_ordinary, telling_faults, write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_BYTES = 50_000_000


class Link(msgspec.Struct, rename="camel", kw_only=True):
    """A file that is an agent."""

    path: str
    format: str
    agent_id: str
    file_digest: str
    """Of the file, when both were last in step."""
    zoo_digest: str
    """Of what the zoo would have written then."""


class Record(msgspec.Struct, rename="camel", kw_only=True):
    """What is remembered of one project."""

    folder: str
    links: list[Link] = msgspec.field(default_factory=list)
    written: dict[str, str] = msgspec.field(default_factory=dict)
    """The digests, by path, of files that the zoo has written there."""


@contextmanager
def record_of(folder: Path, zoo: str) -> Iterator[Record]:
    """What is remembered of a project and one zoo; changes are kept when the block ends well.

    Nobody else changes it meanwhile.

    Raises:
        DataDirectoryError: when it cannot be read or written.
        FileBusyError: when another process works on the same project for too long.
    """
    path = _place(folder, zoo)
    with locked(path), telling_faults(path):
        record = _read(path, folder)
        before = msgspec.json.encode(record)
        yield record
        after = msgspec.json.encode(record)
        if after != before:
            write_atomically(path, after)


def _place(folder: Path, zoo: str) -> Path:
    key = hashlib.sha256(f"{folder.resolve()}\0{zoo}".encode()).hexdigest()[:32]
    return Path(data_directory()) / "zoo" / "projects" / f"{key}.json"


def _read(path: Path, folder: Path) -> Record:
    try:
        return msgspec.json.decode(read_ordinary(path, MOST_BYTES), type=Record)
    except (FileNotFoundError, msgspec.DecodeError):
        # Without it both sides are compared as if for the first time, which loses nothing.
        return Record(folder=str(folder.resolve()))
