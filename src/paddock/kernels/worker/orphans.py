"""Ending processes that would otherwise outlive their kernel.

A process that code started in the background may have left its group, its parent and even its
session. As long as the guard lives it adopts them (Linux), so that they are found below it. When it
has been killed they are known by a mark in their environment.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 20
MARK = "PADDOCK_KERNEL"
"""The variable whose value all processes of a kernel have, and those of no other."""


def adopt_orphans() -> bool:
    """Become the parent of descendants whose own parent ends; only Linux can."""
    if sys.platform != "linux":
        return False
    result: int = ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return result == 0


def end_tree(pid: int) -> None:
    """Kill a process, its group and everything below it."""
    for descendant in descendants(pid):
        _kill(descendant)
    with contextlib.suppress(OSError):
        os.killpg(pid, signal.SIGKILL)
    _kill(pid)


def end_descendants() -> None:
    """Kill everything below this process, and what is adopted meanwhile."""
    for _ in range(_ROUNDS):
        found = descendants(os.getpid())
        for pid in found:
            _kill(pid)
        reap()
        if not found:
            return


def end_kernel() -> None:
    """Kill all other processes of this kernel; for those whose guard is gone."""
    mark = f"{MARK}={os.environ.get(MARK, '')}".encode()
    session = os.getsid(0)
    own = os.getpid()
    for pid in _all_processes():
        with contextlib.suppress(OSError):
            if pid != own and (os.getsid(pid) == session or _has_mark(pid, mark)):
                _kill(pid)


def reap() -> list[tuple[int, int]]:
    """Take note of children that have ended: their ids and how."""
    found = []
    with contextlib.suppress(ChildProcessError):
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            found.append((pid, status))
    return found


def descendants(pid: int) -> list[int]:
    """What is below a process, its children first; empty where the system does not tell."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        children = _children(waiting.pop())
        found += children
        waiting += children
    return found


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(OSError):
                found += [int(word) for word in (task / "children").read_text().split()]
    return found


def _all_processes() -> list[int]:
    with contextlib.suppress(OSError):
        return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return []


def _has_mark(pid: int, mark: bytes) -> bool:
    """Whether a process began with a variable; none does whose environment cannot be read."""
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return not mark.endswith(b"=") and mark in variables


def _kill(pid: int) -> None:
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)
