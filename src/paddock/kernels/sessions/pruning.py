"""Deleting old sessions: by age, then by number, then by size, the oldest first."""

from __future__ import annotations

import contextlib
import itertools
import time
from typing import TYPE_CHECKING

import msgspec

from paddock.files import DataDirectoryError, FileBusyError, forget_lock, locked

if TYPE_CHECKING:
    from pathlib import Path

DAY = 86400.0


class Keeping(msgspec.Struct, frozen=True):
    """What is kept of old sessions; None is no bound."""

    seconds: float | None = 30 * DAY
    count: int | None = 100
    size_bytes: int | None = 1 << 30


class _Kept(msgspec.Struct):
    name: str
    changed: float
    size_bytes: int


def prune(directory: Path, keeping: Keeping, current: frozenset[str]) -> list[str]:
    """Delete sessions beyond the bounds and give their ids; current ones are not even counted."""
    sessions = sorted(_found(directory, current), key=lambda kept: kept.changed)
    oldest = time.time() - keeping.seconds if keeping.seconds is not None else 0.0
    gone = [kept for kept in sessions if kept.changed < oldest]
    rest = sessions[len(gone) :]
    if keeping.count is not None and len(rest) > keeping.count:
        gone += rest[: len(rest) - keeping.count]
        rest = rest[len(rest) - keeping.count :]
    size = sum(kept.size_bytes for kept in rest)
    while keeping.size_bytes is not None and rest and size > keeping.size_bytes:
        size -= rest[0].size_bytes
        gone.append(rest.pop(0))
    return [kept.name for kept in gone if _delete(directory, kept.name)]


def broken_path(path: Path) -> Path:
    """A name that is free, for a journal that cannot be read."""
    for number in itertools.count(1):
        found = path.with_name(f"{path.name}.broken{number if number > 1 else ''}")
        if not found.exists():
            break
    return found


def delete_state(directory: Path, session_id: str) -> None:
    """Delete the state of a session."""
    with contextlib.suppress(OSError):
        (directory / f"{session_id}.state").unlink()


def _delete(directory: Path, session_id: str) -> bool:
    """Delete a session's files and its lock, unless another process is using it."""
    journal = directory / f"{session_id}.jsonl"
    try:
        with locked(journal, seconds=0):
            for path in [journal, *directory.glob(f"{session_id}.*")]:
                if _is_of_session(path):
                    with contextlib.suppress(OSError):
                        path.unlink()
            forget_lock(journal)
    except (FileBusyError, DataDirectoryError):
        return False
    return True


def _is_of_session(path: Path) -> bool:
    return path.suffix in {".jsonl", ".state"} or ".jsonl.broken" in path.name


def _found(directory: Path, current: frozenset[str]) -> list[_Kept]:
    found: dict[str, _Kept] = {}
    with contextlib.suppress(OSError):
        for path in directory.iterdir():
            name = path.name.partition(".")[0]
            if not _is_of_session(path) or name in current or not name:
                continue
            with contextlib.suppress(OSError):
                about = path.stat()
                kept = found.setdefault(name, _Kept(name, 0.0, 0))
                kept.changed = max(kept.changed, about.st_mtime)
                kept.size_bytes += about.st_size
    return list(found.values())
