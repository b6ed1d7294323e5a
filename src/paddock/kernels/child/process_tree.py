"""Termination of all of a kernel's processes, including those that left its process group.

A background process may have changed its group, parent and session. While the supervisor is alive,
orphans become its children (on Linux), so it finds them among its descendants. If the supervisor
has been killed, the kernel's processes are identified by an environment variable.

Every kernel start imports this module, so it imports little. Compatible with Python 3.8.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_MAX_KILL_ROUNDS = 20
_SIGKILL = 9
"""The same number on all systems that have the signal. Importing `signal` is slow."""
KERNEL_ID_VARIABLE = "PADDOCK_KERNEL"
"""Environment variable with an ID shared by all processes of one kernel, and no others."""


def kill_tree(pid: int) -> None:
    """Kill a process, its process group and all its descendants."""
    # Descendants are killed first. Once the process has ended, they are no longer its descendants.
    for descendant in list_descendants(pid):
        _kill(descendant)
    _kill(pid, os.killpg)
    _kill(pid)


def kill_descendants() -> None:
    """Kill all descendants of this process, and reap its children.

    The descendants are listed and killed repeatedly until none are left, because a process can
    start others until it is killed.
    """
    for _ in range(_MAX_KILL_ROUNDS):
        descendants = list_descendants(os.getpid())
        for pid in descendants:
            _kill(pid)
        reap_children()
        if not descendants:
            return


def kill_kernel() -> None:
    """Kill all processes of this kernel except the current one.

    Called when the supervisor, which normally kills them, is gone. The processes are those in the
    same POSIX session, and those whose environment contains the kernel's ID.
    """
    kernel_id = f"{KERNEL_ID_VARIABLE}={os.environ.get(KERNEL_ID_VARIABLE, '')}".encode()
    session_id = os.getsid(0)
    own_pid = os.getpid()
    for pid in (int(name) for name in _list_names("/proc") if name.isdigit()):
        if pid == own_pid:
            continue
        if _get_session_id(pid) == session_id or _has_kernel_id(pid, kernel_id):
            _kill(pid)


def reap_children() -> list[tuple[int, int]]:
    """Reap all children that have ended, without waiting for the others.

    Returns:
        The process ID and wait status of each child that has ended.
    """
    exits: list[tuple[int, int]] = []
    while True:
        try:
            pid, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return exits
        if pid == 0:
            return exits
        exits.append((pid, status))


def list_descendants(pid: int) -> list[int]:
    """Return the process IDs of all descendants of a process, parents before their children.

    The list is empty on systems other than Linux.
    """
    descendants: list[int] = []
    pending = [pid]
    while pending:
        children = _list_children(pending.pop())
        descendants += children
        pending += children
    return descendants


def _list_children(pid: int) -> list[int]:
    children: list[int] = []
    for task in _list_names(f"/proc/{pid}/task"):
        text = _read_file(f"/proc/{pid}/task/{task}/children")
        children += [int(word) for word in text.split()]
    return children


def _get_session_id(pid: int) -> int:
    try:
        return os.getsid(pid)
    except OSError:
        return -1


def _has_kernel_id(pid: int, kernel_id: bytes) -> bool:
    """Return whether a process's environment contains a kernel's ID.

    The result is False if the environment is not readable.

    Args:
        pid: The process.
        kernel_id: The environment variable with the ID, in the form `NAME=ID`.
    """
    if kernel_id.endswith(b"="):  # an empty ID would match processes that belong to no kernel
        return False
    return kernel_id in _read_file(f"/proc/{pid}/environ").split(b"\0")


def _list_names(directory: str) -> list[str]:
    try:
        return os.listdir(directory)
    except OSError:
        return []


def _read_file(file: str) -> bytes:
    try:
        with open(file, "rb") as stream:
            return stream.read()
    except OSError:
        return b""


def _kill(pid: int, send_signal: Callable[[int, int], None] = os.kill) -> None:
    """Kill a process, or with `os.killpg` its process group, if it has not already ended."""
    try:
        send_signal(pid, _SIGKILL)
    except OSError:
        pass
