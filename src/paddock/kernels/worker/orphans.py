"""Ending processes that would otherwise outlive their kernel.

A process that code started in the background may have left its group, its parent and even its
session. As long as the guard lives it adopts them (Linux), so that they are found below it. When it
has been killed they are known by a mark in their environment. Python 3.8 can read this module. It
imports little, because it is part of every kernel's start.
"""

from __future__ import annotations

import os
import sys

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 20
_KILL = 9
"""SIGKILL on all systems that have it; the module `signal` takes time."""
MARK = "PADDOCK_KERNEL"
"""The variable whose value all processes of a kernel have, and those of no other."""


def adopt_orphans() -> bool:
    """Become the parent of descendants whose own parent ends; only Linux can."""
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415 - see the module's docstring

    result: int = ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return result == 0


def end_tree(pid: int) -> None:
    """Kill a process, its group and everything below it."""
    for descendant in descendants(pid):
        _kill(descendant)
    _kill_group(pid)
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
        if pid != own and (_session_of(pid) == session or _has_mark(pid, mark)):
            _kill(pid)


def reap() -> list[tuple[int, int]]:
    """Take note of children that have ended: their ids and how."""
    found: list[tuple[int, int]] = []
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return found
        if pid == 0:
            return found
        found.append((pid, status))


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
    for task in _names_in(f"/proc/{pid}/task"):
        text = _read(f"/proc/{pid}/task/{task}/children")
        found += [int(word) for word in text.split()]
    return found


def _all_processes() -> list[int]:
    return [int(name) for name in _names_in("/proc") if name.isdigit()]


def _session_of(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return -1


def _has_mark(pid: int, mark: bytes) -> bool:
    """Whether a process began with a variable; none does whose environment cannot be read."""
    return not mark.endswith(b"=") and mark in _read(f"/proc/{pid}/environ").split(b"\0")


def _names_in(directory: str) -> list[str]:
    try:
        return os.listdir(directory)  # noqa: PTH208 - pathlib takes time
    except OSError:
        return []


def _read(file: str) -> bytes:
    try:
        with open(file, "rb") as stream:  # noqa: PTH123 - pathlib takes time
            return stream.read()
    except OSError:
        return b""


def _kill_group(pid: int) -> None:
    try:  # noqa: SIM105 - contextlib takes time
        os.killpg(pid, _KILL)
    except OSError:
        pass


def _kill(pid: int) -> None:
    try:  # noqa: SIM105 - contextlib takes time
        os.kill(pid, _KILL)
    except OSError:
        pass
