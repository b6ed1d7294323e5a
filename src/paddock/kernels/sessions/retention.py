"""Deletion of expired sessions by age, number and total size, oldest first."""

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
    """Limits on stored sessions, beyond which the oldest sessions are deleted.

    None means that there is no limit.
    """

    max_age_seconds: float | None = 30 * DAY_SECONDS
    max_sessions: int | None = 100
    max_total_bytes: int | None = 1 << 30


class _StoredSession(msgspec.Struct):
    session_id: str
    modified_at: float
    size_bytes: int


def delete_expired_sessions(
    directory: Path, policy: RetentionPolicy, current: frozenset[str]
) -> list[str]:
    """Delete the files of stored sessions beyond the limits, oldest first.

    Args:
        directory: The directory that contains all session files.
        policy: The limits on the age, number and total size of the sessions.
        current: IDs of the open sessions, which are neither deleted nor counted.

    Returns:
        The IDs of the deleted sessions.
    """
    remaining = sorted(_scan_sessions(directory, current), key=lambda session: session.modified_at)
    expired: list[_StoredSession] = []
    if policy.max_age_seconds is not None:
        min_modified_at = time.time() - policy.max_age_seconds
        expired = [session for session in remaining if session.modified_at < min_modified_at]
        remaining = remaining[len(expired) :]
    if policy.max_sessions is not None and len(remaining) > policy.max_sessions:
        excess = len(remaining) - policy.max_sessions
        expired += remaining[:excess]
        remaining = remaining[excess:]
    total_bytes = sum(session.size_bytes for session in remaining)
    while policy.max_total_bytes is not None and remaining and total_bytes > policy.max_total_bytes:
        total_bytes -= remaining[0].size_bytes
        expired.append(remaining.pop(0))
    return [
        session.session_id for session in expired if _delete_session(directory, session.session_id)
    ]


def find_free_broken_path(path: Path) -> Path:
    """Return an unused path for keeping a copy of an unreadable journal."""
    numbers = itertools.chain([""], itertools.count(2))
    candidates = (path.with_name(f"{path.name}.broken{number}") for number in numbers)
    return next(candidate for candidate in candidates if not candidate.exists())


def _delete_session(directory: Path, session_id: str) -> bool:
    """Delete a session's files and lock, unless another process is using the session.

    Returns:
        Whether the session was deleted.
    """
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
    """Return the stored sessions in a directory, with their sizes and modification times.

    Args:
        directory: The directory. The files of a session are named `<session ID>.<suffix>`.
        current: IDs of sessions to skip, because they are open.
    """
    sessions: dict[str, _StoredSession] = {}
    # Another process may delete files at the same time.
    with contextlib.suppress(OSError):
        for path in directory.iterdir():
            session_id = path.name.partition(".")[0]
            if not _is_session_file(path) or session_id in current or not session_id:
                continue
            with contextlib.suppress(OSError):
                status = path.stat()
                session = sessions.setdefault(session_id, _StoredSession(session_id, 0.0, 0))
                session.modified_at = max(session.modified_at, status.st_mtime)
                session.size_bytes += status.st_size
    return list(sessions.values())
