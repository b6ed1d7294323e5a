"""Termination of all processes of a kernel, including those that left its process group.

A background process may have changed its group, its parent and its session. While the supervisor
lives, orphans become its children (on Linux), so it finds them below itself. After the supervisor
was killed, the kernel's processes are recognized by a variable in their environment.

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
"""Environment variable with an id that all processes of one kernel, and no others, share."""


def kill_tree(pid: int) -> None:
    """Kill a process, its process group and all its descendants."""
    # Descendants are killed first. Once the process has ended, they are no longer below it.
    for descendant in list_descendants(pid):
        _kill(descendant)
    _kill(pid, os.killpg)
    _kill(pid)


def kill_descendants() -> None:
    """Kill all descendants of this process, including those that are orphaned while this runs."""
    for _ in range(_MAX_KILL_ROUNDS):
        descendants = list_descendants(os.getpid())
        for pid in descendants:
            _kill(pid)
        reap_children()
        if not descendants:
            return


def kill_kernel() -> None:
    """Kill all other processes of this kernel. For use when the supervisor is gone."""
    kernel_id = f"{KERNEL_ID_VARIABLE}={os.environ.get(KERNEL_ID_VARIABLE, '')}".encode()
    session = os.getsid(0)
    own = os.getpid()
    for pid in (int(name) for name in _list_names("/proc") if name.isdigit()):
        if pid != own and (_get_session_id(pid) == session or _has_kernel_id(pid, kernel_id)):
            _kill(pid)


def reap_children() -> list[tuple[int, int]]:
    """Reap all children that have ended.

    Returns their process IDs and wait statuses.
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
    """Return the descendants of a process, parents first.

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
    """Return whether the environment of a process contains the kernel ID.

    The result is False if the environment is not readable.
    """
    # An empty id would match processes of no kernel at all.
    return not kernel_id.endswith(b"=") and kernel_id in _read_file(f"/proc/{pid}/environ").split(
        b"\0"
    )


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
    """Kill a process, or with `os.killpg` its process group, if it has not ended already."""
    try:
        send_signal(pid, _SIGKILL)
    except OSError:
        pass
