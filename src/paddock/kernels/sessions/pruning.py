"""Deleting old sessions: by age, then by number, then by size, the oldest first."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

import msgspec

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
    for kept in gone:
        delete(directory, kept.name)
    return [kept.name for kept in gone]


def delete(directory: Path, session_id: str) -> None:
    """Delete a session's files."""
    for ending in (".state", ".jsonl"):
        with contextlib.suppress(OSError):
            (directory / f"{session_id}{ending}").unlink()


def _found(directory: Path, current: frozenset[str]) -> list[_Kept]:
    found: dict[str, _Kept] = {}
    with contextlib.suppress(OSError):
        for path in directory.iterdir():
            name = path.name.partition(".")[0]
            if path.suffix not in {".jsonl", ".state"} or name in current or not name:
                continue
            with contextlib.suppress(OSError):
                about = path.stat()
                kept = found.setdefault(name, _Kept(name, 0.0, 0))
                kept.changed = max(kept.changed, about.st_mtime)
                kept.size_bytes += about.st_size
    return list(found.values())
