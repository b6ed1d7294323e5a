"""Deleting old sessions: by age, then by number, then by size, the oldest first."""

from __future__ import annotations

import contextlib
import itertools
import time
from typing import TYPE_CHECKING

import msgspec

from paddock.files import DataDirectoryError, FileBusyError, delete_lock_file, lock_file

if TYPE_CHECKING:
    from pathlib import Path

DAY_SECONDS = 86400.0


class RetentionPolicy(msgspec.Struct, frozen=True):
    """What is kept of old sessions; None is no bound."""

    max_age_seconds: float | None = 30 * DAY_SECONDS
    max_sessions: int | None = 100
    max_total_bytes: int | None = 1 << 30


class _StoredSession(msgspec.Struct):
    session_id: str
    modified_at: float
    size_bytes: int


def delete_expired_sessions(
    directory: Path, keeping: RetentionPolicy, current: frozenset[str]
) -> list[str]:
    """Delete sessions beyond the bounds and give their ids; current ones are not even counted."""
    sessions = sorted(_scan_sessions(directory, current), key=lambda kept: kept.modified_at)
    oldest = time.time() - keeping.max_age_seconds if keeping.max_age_seconds is not None else 0.0
    gone = [kept for kept in sessions if kept.modified_at < oldest]
    rest = sessions[len(gone) :]
    if keeping.max_sessions is not None and len(rest) > keeping.max_sessions:
        gone += rest[: len(rest) - keeping.max_sessions]
        rest = rest[len(rest) - keeping.max_sessions :]
    size = sum(kept.size_bytes for kept in rest)
    while keeping.max_total_bytes is not None and rest and size > keeping.max_total_bytes:
        size -= rest[0].size_bytes
        gone.append(rest.pop(0))
    return [kept.session_id for kept in gone if _delete_session(directory, kept.session_id)]


def find_free_broken_path(path: Path) -> Path:
    """A name that is free, for a journal that cannot be read."""
    for number in itertools.count(1):
        found = path.with_name(f"{path.name}.broken{number if number > 1 else ''}")
        if not found.exists():
            break
    return found


def delete_saved_state(directory: Path, session_id: str) -> None:
    """Delete the state of a session."""
    with contextlib.suppress(OSError):
        (directory / f"{session_id}.state").unlink()


def _delete_session(directory: Path, session_id: str) -> bool:
    """Delete a session's files and its lock, unless another process is using it."""
    journal = directory / f"{session_id}.jsonl"
    try:
        with lock_file(journal, seconds=0):
            for path in [journal, *directory.glob(f"{session_id}.*")]:
                if _is_session_file(path):
                    with contextlib.suppress(OSError):
                        path.unlink()
            delete_lock_file(journal)
    except (FileBusyError, DataDirectoryError):
        return False
    return True


def _is_session_file(path: Path) -> bool:
    return path.suffix in {".jsonl", ".state"} or ".jsonl.broken" in path.name


def _scan_sessions(directory: Path, current: frozenset[str]) -> list[_StoredSession]:
    found: dict[str, _StoredSession] = {}
    with contextlib.suppress(OSError):
        for path in directory.iterdir():
            name = path.name.partition(".")[0]
            if not _is_session_file(path) or name in current or not name:
                continue
            with contextlib.suppress(OSError):
                about = path.stat()
                kept = found.setdefault(name, _StoredSession(name, 0.0, 0))
                kept.modified_at = max(kept.modified_at, about.st_mtime)
                kept.size_bytes += about.st_size
    return list(found.values())
