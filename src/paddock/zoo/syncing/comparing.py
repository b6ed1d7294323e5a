"""What is to be done for a file and an agent, from what both are and what they were."""

from __future__ import annotations

from typing import Literal

SyncStep = Literal[
    "in-step",
    "read",
    "write",
    "add-to-zoo",
    "add-to-project",
    "delete-file",
    "forget",
    "conflict",
]
"""What is to be done: `read` the file into the agent, `write` the agent into the file, …"""

SyncPreference = Literal["file", "zoo"]


def choose_next_step(
    file: str | None,
    zoo: str | None,
    *,
    last_file: str | None = None,
    last_zoo: str | None = None,
    prefer: SyncPreference | None = None,
) -> SyncStep:
    """What is to be done, as far as digests tell.

    Args:
        file: The digest of the file; None when there is none.
        zoo: The digest of what the zoo would write; None when it has no such agent (any more).
        last_file: The digest of the file when both were last in step; None when they never were.
        last_zoo: The digest of what the zoo would have written then.
        prefer: Which side is right where both have changed.
    """
    if file is None and (zoo is None or last_file is not None):
        return "forget"  # a file that is deleted is no agent less
    if last_file is None:
        return _choose_first_step(file, zoo, prefer)
    is_file_changed, is_zoo_changed = file != last_file, zoo != last_zoo
    if file == zoo or not (is_file_changed or is_zoo_changed):
        return "in-step"
    if is_file_changed and is_zoo_changed:
        return _resolve_conflict(zoo, prefer)
    if is_file_changed:
        return "read"
    return "delete-file" if zoo is None else "write"


def _choose_first_step(file: str | None, zoo: str | None, prefer: SyncPreference | None) -> SyncStep:
    if zoo is None:
        return "add-to-zoo"
    if file is None:
        return "add-to-project"
    return "in-step" if file == zoo else _resolve_conflict(zoo, prefer)


def _resolve_conflict(zoo: str | None, prefer: SyncPreference | None) -> SyncStep:
    """What becomes of a file that has changed, as its agent has or is deleted."""
    if prefer == "file":
        return "read" if zoo is not None else "add-to-zoo"
    if prefer == "zoo":
        return "write" if zoo is not None else "delete-file"
    return "conflict"
