"""Whether a process can be forked without loss, and forking it.

A fork has one thread, and no children. So a process whose threads or children go on stays what it
is: there is no state to go back to until they have ended. Python 3.8 can read this module.

The checkpoint and the active process: those that hold the state of a kernel.

Both run the same loop; a process is active until it is told to commit, and a checkpoint from then
on. One that cannot be forked just now stays active, with no checkpoint behind it. They do what the
guard orders, and end when it is gone. Python 3.8 can read this module.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # `signal` itself takes time
import os
import resource
import select
import sys

from paddock.kernels.child.job_runner import run_job
from paddock.kernels.child.plain_frames import PlainFrame, PlainFrameReader, send_frame
from paddock.kernels.child.process_tree import kill_kernel

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


if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

    from paddock.kernels.child.job_runner import LanguageInterpreter

ALARM_GRACE_SECONDS = 5.0
"""Seconds after its limit when an active process ends itself, should nobody else be left."""
LOST_CONNECTION_EXIT_CODE = 213
"""How a process ends whose way to the guard was closed by the code that it ran."""

_MAX_ALARM_SECONDS = 1e7
"""Seconds; what the timers of all systems can hold."""


class SupervisorPipes:
    """The descriptors between the guard and the others.

    `orders` is where each of the two reads: they take turns, so that an order is read by one only.
    Both write to `notices`.
    """

    def __init__(self, orders: tuple[int, int], notices: int) -> None:
        self.orders = orders
        self.notices = notices
        self._notices_identity = _get_identity(notices)

    def send_notice(self, notice: PlainFrame) -> None:
        """Tell the guard something; without a way to it there is nothing left to do."""
        if _get_identity(self.notices) != self._notices_identity:
            os._exit(LOST_CONNECTION_EXIT_CODE)
        send_frame(self.notices, notice)


def _get_identity(handle: int) -> tuple[int, int] | None:
    try:
        found = os.fstat(handle)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def run_evaluator(make: Callable[[], LanguageInterpreter], links: SupervisorPipes) -> NoReturn:
    """Be the first checkpoint, and whatever comes after it."""
    try:
        interpreter = make()
    except BaseException as error:  # noqa: BLE001 - whatever it is, the server is told
        links.send_notice(PlainFrame("fault", text=f"{type(error).__name__}: {error}"))
        os._exit(1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    turn = 0
    while True:
        turn = 1 - turn
        why = find_fork_obstacle()
        child = None if why else fork_process()
        if child is None:
            _run_active(interpreter, links, turn, why or "the system has no room for its copy")
        elif child == 0:
            _run_active(interpreter, links, turn)
        else:
            turn = 1 - turn
            _run_checkpoint(child, links, turn)


def _run_checkpoint(child: int, links: SupervisorPipes, turn: int) -> None:
    """Be the checkpoint until another active process is wanted."""
    _set_process_group(child)  # the child does it too, and may have been first
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    before = signal.set_wakeup_fd(wakes)
    try:
        _report_exit(child, links)  # it may have ended before there was a signal to be woken by
        orders = PlainFrameReader(links.orders[turn])
        while True:
            ready, _, _ = select.select([orders.handle, woken], [], [])
            if woken in ready:
                os.read(woken, 512)
                _report_exit(child, links)
            if orders.handle in ready and _is_fork_order(orders):
                return
    finally:
        signal.set_wakeup_fd(before)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.close(woken)
        os.close(wakes)


def _set_process_group(pid: int) -> None:
    try:  # noqa: SIM105 - contextlib takes time
        os.setpgid(pid, pid)
    except OSError:
        pass


def _is_fork_order(orders: PlainFrameReader) -> bool:
    try:
        return orders.read_one().type == "again"
    except EOFError:
        kill_kernel()
        os._exit(0)


def _report_exit(child: int, links: SupervisorPipes) -> None:
    try:
        pid, status = os.waitpid(child, os.WNOHANG)
    except ChildProcessError:
        return
    if pid == child:
        links.send_notice(PlainFrame("died", pid=pid, status=status))


def _run_active(
    interpreter: LanguageInterpreter, links: SupervisorPipes, turn: int, why_alone: str = ""
) -> None:
    """Do jobs until the state is good enough to become the checkpoint."""
    if not why_alone:
        _set_process_group(0)
    links.send_notice(_build_ready_frame(interpreter, why_alone))
    orders = PlainFrameReader(links.orders[turn])
    warm = getattr(interpreter, "warm", None)
    if warm is not None:
        warm()
    while True:
        try:
            order = orders.read_one()
        except KeyboardInterrupt:  # one that came too late
            continue
        except EOFError:
            os._exit(0)
        except OSError:
            os._exit(LOST_CONNECTION_EXIT_CODE)
        if order.type == "commit":
            return
        if order.type != "again":
            links.send_notice(PlainFrame("begun"))
            links.send_notice(run_job(interpreter, order, links.send_notice, JobLimits(order)))


def _build_ready_frame(interpreter: LanguageInterpreter, why_alone: str) -> PlainFrame:
    return PlainFrame(
        "ready",
        pid=os.getpid(),
        checkpoint=0 if why_alone else os.getppid(),
        engine_version=interpreter.version,
        is_interruptible=interpreter.is_interruptible,
        why_alone=why_alone,
    )


class JobLimits:
    """Limits that a process sets itself for one job."""

    def __init__(self, job: PlainFrame) -> None:
        self._seconds = min(job.seconds, _MAX_ALARM_SECONDS) + ALARM_GRACE_SECONDS
        self._memory = job.memory_bytes if job.type == "evaluate" else 0

    def __enter__(self) -> None:
        """Begin."""
        _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        self._hard = hard
        if self._memory:
            infinite = hard == resource.RLIM_INFINITY
            _set_memory_limit(self._memory if infinite else min(self._memory, hard), hard)
        # The guard keeps the limit. Should all others be gone, this one must end all the same.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def __exit__(self, *_: object) -> None:
        """End."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        if self._memory:
            _set_memory_limit(self._hard, self._hard)


def _set_memory_limit(soft: int, hard: int) -> None:
    try:  # noqa: SIM105 - contextlib takes time
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    except (OSError, ValueError):  # macOS does not limit address space
        pass
