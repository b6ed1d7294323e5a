"""What is remembered of a project: which files are which agents, and how they were in step.

It is kept with the user's data and not in the project, for it is about this user's zoo.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from paddock.directories import get_data_directory
from paddock.files import convert_os_errors, lock_file, read_regular_file, write_atomically

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_RECORD_BYTES = 50_000_000


class SyncFileRecord(msgspec.Struct, rename="camel", kw_only=True):
    """A file that is an agent."""

    path: str
    format: str
    agent_id: str
    file_digest: str
    """Of the file, when both were last in step."""
    zoo_digest: str
    """Of what the zoo would have written then."""


class SyncRecord(msgspec.Struct, rename="camel", kw_only=True):
    """What is remembered of one project."""

    folder: str
    links: list[SyncFileRecord] = msgspec.field(default_factory=list)
    written: dict[str, str] = msgspec.field(default_factory=dict)
    """The digests, by path, of files that the zoo has written there."""


@contextmanager
def open_sync_record(folder: Path, zoo: str) -> Iterator[SyncRecord]:
    """What is remembered of a project and one zoo; changes are kept when the block ends well.

    Nobody else changes it meanwhile.

    Raises:
        DataDirectoryError: when it cannot be read or written.
        FileBusyError: when another process works on the same project for too long.
    """
    path = _get_record_path(folder, zoo)
    with lock_file(path), convert_os_errors(path):
        record = _read_record(path, folder)
        before = msgspec.json.encode(record)
        yield record
        after = msgspec.json.encode(record)
        if after != before:
            write_atomically(path, after)


def _get_record_path(folder: Path, zoo: str) -> Path:
    key = hashlib.sha256(f"{folder.resolve()}\0{zoo}".encode()).hexdigest()[:32]
    return Path(get_data_directory()) / "zoo" / "projects" / f"{key}.json"


def _read_record(path: Path, folder: Path) -> SyncRecord:
    try:
        return msgspec.json.decode(read_regular_file(path, MAX_RECORD_BYTES), type=SyncRecord)
    except (FileNotFoundError, msgspec.DecodeError):
        # Without it both sides are compared as if for the first time, which loses nothing.
        return SyncRecord(folder=str(folder.resolve()))
