"""Whether a process can be forked without loss, and forking it.

A fork has one thread, and no children. So a process whose threads or children go on stays what it
is: there is no state to go back to until they have ended. Python 3.8 can read this module.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_TASK_DIRECTORY = "/proc/self/task"


def find_fork_obstacle() -> str:
    """What keeps this process from being forked, as people say it; empty when nothing does."""
    try:
        names = _list_thread_names()
    except Exception:  # noqa: BLE001 - the code may have put anything in the place of threads
        return "it cannot be seen whether threads go on"
    if names:
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return f"threads go on in the background ({', '.join(names[:3])}{more})"
    if _has_children():
        return "programs that were started go on, or have not been waited for"
    if _has_native_threads():
        return "a library has started threads that a copy of the process would not have"
    return ""


def fork_process() -> int | None:
    """Fork as `os.fork` does, without new random numbers; None when the system does not let us."""
    random: Any = sys.modules.get("random")
    try:
        state = random.getstate()
    except Exception:  # noqa: BLE001 - it is not loaded, or is something else
        state = None
    try:
        child = os.fork()
    except OSError:
        return None
    if child == 0 and state is not None:
        random.setstate(state)  # Python seeds it anew in a fork, and nobody here has asked for that
    return child


def _list_thread_names() -> list[str]:
    """The names of Python's threads besides this one."""
    threading: Any = sys.modules.get("threading")
    if not hasattr(threading, "enumerate"):
        return []
    here = threading.get_ident()
    return [thread.name for thread in threading.enumerate() if thread.ident != here]


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except (OSError, AttributeError):  # there are none, or the system cannot say
        return False
    return True


def _has_native_threads() -> bool:
    """Whether there are threads that Python does not know, and that do not end for a fork.

    Libraries that heed forks, such as OpenBLAS, end theirs in time and start them anew.
    """
    if _count_tasks() < 2:
        return False
    try:
        child = os.fork()
    except OSError:
        return True
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return _count_tasks() > 1


def _count_tasks() -> int:
    """How many threads the system sees; 1 where it does not tell."""
    try:
        return len(os.listdir(_TASK_DIRECTORY))  # noqa: PTH208 - pathlib takes time
    except OSError:
        return 1
