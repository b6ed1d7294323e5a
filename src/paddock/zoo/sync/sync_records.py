"""A project's synchronization record: its files, their agents, and their last digests.

It is stored with the user's data rather than in the project, because it concerns this user's zoo.
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
    """A file that is synchronized with an agent."""

    path: str
    format: str
    agent_id: str
    file_digest: str
    """Digest of the file's text after the last synchronization."""
    zoo_digest: str
    """Digest of the text that the zoo would have written to the file at that time."""


class SyncRecord(msgspec.Struct, rename="camel", kw_only=True):
    """The synchronization record of one project."""

    folder: str
    links: list[SyncFileRecord] = msgspec.field(default_factory=list)
    written: dict[str, str] = msgspec.field(default_factory=dict)
    """Digests of files written by exports, by path."""


@contextmanager
def open_sync_record(folder: Path, zoo: str) -> Iterator[SyncRecord]:
    """Yield a project's synchronization record for a zoo, with a lock on the record file.

    The record has the digests of the files at the last synchronization, and of files written by
    exports. Changes to it are saved when the block ends without an error.

    Args:
        folder: The project folder.
        zoo: The location of the zoo's database.

    Raises:
        DataDirectoryError: The record cannot be read or written.
        FileBusyError: Another process has held the lock for too long.
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
    # The key includes the zoo, because a user may synchronize a project with multiple zoos.
    key = hashlib.sha256(f"{folder.resolve()}\0{zoo}".encode()).hexdigest()[:32]
    return Path(get_data_directory()) / "zoo" / "projects" / f"{key}.json"


def _read_record(path: Path, folder: Path) -> SyncRecord:
    try:
        return msgspec.json.decode(read_regular_file(path, MAX_RECORD_BYTES), type=SyncRecord)
    except (FileNotFoundError, msgspec.DecodeError):
        # Without a record, both sides are compared as if for the first time, so nothing is lost.
        return SyncRecord(folder=str(folder.resolve()))
