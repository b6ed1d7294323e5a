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
_MAX_KILL_ROUNDS = 20
_SIGKILL = 9
"""SIGKILL on all systems that have it; the module `signal` takes time."""
KERNEL_ID_VARIABLE = "PADDOCK_KERNEL"
"""The variable whose value all processes of a kernel have, and those of no other."""


def adopt_orphans() -> bool:
    """Become the parent of descendants whose own parent ends; only Linux can."""
    if sys.platform != "linux":
        return False
    import ctypes  # noqa: PLC0415 - see the module's docstring

    result: int = ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    return result == 0


def kill_tree(pid: int) -> None:
    """Kill a process, its group and everything below it."""
    for descendant in list_descendants(pid):
        _kill_process(descendant)
    _kill_group(pid)
    _kill_process(pid)


def kill_descendants() -> None:
    """Kill everything below this process, and what is adopted meanwhile."""
    for _ in range(_MAX_KILL_ROUNDS):
        found = list_descendants(os.getpid())
        for pid in found:
            _kill_process(pid)
        reap_children()
        if not found:
            return


def kill_kernel() -> None:
    """Kill all other processes of this kernel; for those whose guard is gone."""
    mark = f"{KERNEL_ID_VARIABLE}={os.environ.get(KERNEL_ID_VARIABLE, '')}".encode()
    session = os.getsid(0)
    own = os.getpid()
    for pid in _list_processes():
        if pid != own and (_get_session_id(pid) == session or _has_kernel_id(pid, mark)):
            _kill_process(pid)


def reap_children() -> list[tuple[int, int]]:
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


def list_descendants(pid: int) -> list[int]:
    """What is below a process, its children first; empty where the system does not tell."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        children = _list_children(waiting.pop())
        found += children
        waiting += children
    return found


def _list_children(pid: int) -> list[int]:
    found: list[int] = []
    for task in _list_names(f"/proc/{pid}/task"):
        text = _read_file(f"/proc/{pid}/task/{task}/children")
        found += [int(word) for word in text.split()]
    return found


def _list_processes() -> list[int]:
    return [int(name) for name in _list_names("/proc") if name.isdigit()]


def _get_session_id(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return -1


def _has_kernel_id(pid: int, mark: bytes) -> bool:
    """Whether a process began with a variable; none does whose environment cannot be read."""
    return not mark.endswith(b"=") and mark in _read_file(f"/proc/{pid}/environ").split(b"\0")


def _list_names(directory: str) -> list[str]:
    try:
        return os.listdir(directory)  # noqa: PTH208 - pathlib takes time
    except OSError:
        return []


def _read_file(file: str) -> bytes:
    try:
        with open(file, "rb") as stream:  # noqa: PTH123 - pathlib takes time
            return stream.read()
    except OSError:
        return b""


def _kill_group(pid: int) -> None:
    try:  # noqa: SIM105 - contextlib takes time
        os.killpg(pid, _SIGKILL)
    except OSError:
        pass


def _kill_process(pid: int) -> None:
    try:  # noqa: SIM105 - contextlib takes time
        os.kill(pid, _SIGKILL)
    except OSError:
        pass
