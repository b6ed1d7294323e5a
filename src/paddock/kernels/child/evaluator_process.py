"""Evaluator processes: the active process and the checkpoint, which hold the state of a kernel.

Both run the same loop. A process is active until the supervisor orders it to commit. From then on
it is the checkpoint. The processes follow the supervisor's orders and end when it is gone.

A forked process has one thread and no children. A process with further threads or children is
therefore not forked, since its copy would lack them. It stays active without a checkpoint, so an
evaluation cannot be rolled back, until they have ended. Compatible with Python 3.8.
"""

from __future__ import annotations

import _signal as signal  # type: ignore[import-not-found]  # importing `signal` is slow
import os
import resource
import select
import sys

from paddock.kernels.child.job_runner import run_job
from paddock.kernels.child.output_capture import get_file_identity
from paddock.kernels.child.plain_frames import PlainFrame, PlainFrameReader, send_frame
from paddock.kernels.child.process_tree import kill_kernel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn

    from paddock.kernels.child.job_runner import LanguageInterpreter

ALARM_GRACE_SECONDS = 5.0
"""Time after a job's limit at which the process ends itself, if no supervisor has stopped it."""
LOST_CONNECTION_EXIT_CODE = 213
"""Exit code of a process whose connection to the supervisor was closed by user code."""

_MAX_ALARM_SECONDS = 1e7
"""Maximum interval that the timers of all supported systems accept."""
_TASK_DIRECTORY = "/proc/self/task"


def find_fork_obstacle() -> str:
    """Return why a fork of this process would lose something.

    The result is empty if the process can be forked.
    """
    try:
        names = _list_thread_names()
    except Exception:  # user code may have replaced the `threading` module
        return "running threads cannot be detected"
    if names:
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return f"threads are still running in the background ({', '.join(names[:3])}{more})"
    if _has_children():
        return "child processes are still running, or have not been waited for"
    if _has_native_threads():
        return "a library has started threads that a copy of the process would not have"
    return ""


def fork_process() -> int | None:
    """Fork without reseeding `random`.

    Returns None if the system cannot create a process.
    """
    random: Any = sys.modules.get("random")
    try:
        state = random.getstate()
    except Exception:  # not imported, or replaced by user code
        state = None
    try:
        child = os.fork()
    except OSError:
        return None
    if child == 0 and state is not None:
        # CPython reseeds `random` after a fork. Sequences that user code has seeded must go on.
        random.setstate(state)
    return child


def _list_thread_names() -> list[str]:
    """Return the names of all Python threads except the current one."""
    threading: Any = sys.modules.get("threading")
    if not hasattr(threading, "enumerate"):
        return []
    current = threading.get_ident()
    return [thread.name for thread in threading.enumerate() if thread.ident != current]


def _has_children() -> bool:
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except (OSError, AttributeError):  # no children, or no support (AttributeError on macOS)
        return False
    return True


def _has_native_threads() -> bool:
    """Return whether native threads exist that do not end at a fork.

    Libraries with fork handlers, such as OpenBLAS, stop their threads before a fork and restart
    them when needed. A trial fork shows which threads remain.
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
    """Return the number of threads of this process, or 1 if it is unknown."""
    try:
        return len(os.listdir(_TASK_DIRECTORY))
    except OSError:
        return 1


class SupervisorPipes:
    """Pipes between the supervisor and the evaluator processes.

    Attributes:
        orders: Read ends of the two order pipes. Checkpoint and active process take turns in
            using them, so that each order is read by the right one.
        notices: Write end of the pipe to the supervisor, used by both.
    """

    def __init__(self, orders: tuple[int, int], notices: int) -> None:
        self.orders = orders
        self.notices = notices
        self._notices_identity = get_file_identity(notices)

    def send_notice(self, notice: PlainFrame) -> None:
        """Send a message to the supervisor.

        The process exits if user code has closed the descriptor.
        """
        # User code may also have opened another file under the same number, so the identity of the
        # file is compared.
        if get_file_identity(self.notices) != self._notices_identity:
            os._exit(LOST_CONNECTION_EXIT_CODE)
        send_frame(self.notices, notice)


def run_evaluator(
    make_interpreter: Callable[[], LanguageInterpreter], pipes: SupervisorPipes
) -> NoReturn:
    """Load the engine, then act as checkpoint and active process in turn.

    Each fork returns here twice: the child becomes the active process, the parent its checkpoint.
    Both return to this loop when their role changes.
    """
    try:
        interpreter = make_interpreter()
    except BaseException as error:  # any failure is reported to the server
        pipes.send_notice(PlainFrame("startup-failed", text=f"{type(error).__name__}: {error}"))
        os._exit(1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    turn = 0
    while True:
        turn = 1 - turn
        obstacle = find_fork_obstacle()
        child = None if obstacle else fork_process()
        if child is None:
            reason = obstacle or "the system could not create another process"
            _run_active(interpreter, pipes, turn, reason)
        elif child == 0:
            _run_active(interpreter, pipes, turn)
        else:
            turn = 1 - turn
            _run_checkpoint(child, pipes, turn)


def _run_checkpoint(child: int, pipes: SupervisorPipes, turn: int) -> None:
    """Act as checkpoint until the supervisor orders another fork."""
    _set_process_group(child)  # in parent and child, because either may run first
    # SIGCHLD writes to this pipe, so that `select` also returns when the active process ends.
    wakeup_reader, wakeup_writer = os.pipe()
    os.set_blocking(wakeup_writer, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    previous_wakeup = signal.set_wakeup_fd(wakeup_writer)
    try:
        _report_exit(child, pipes)  # it may have ended before the handler was installed
        orders = PlainFrameReader(pipes.orders[turn])
        while True:
            ready, _, _ = select.select([orders.handle, wakeup_reader], [], [])
            if wakeup_reader in ready:
                os.read(wakeup_reader, 512)
                _report_exit(child, pipes)
            if orders.handle in ready and _is_fork_order(orders):
                return
    finally:
        # User code may have its own SIGCHLD handling after the next fork.
        signal.set_wakeup_fd(previous_wakeup)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.close(wakeup_reader)
        os.close(wakeup_writer)


def _set_process_group(pid: int) -> None:
    try:
        os.setpgid(pid, pid)
    except OSError:
        pass


def _is_fork_order(orders: PlainFrameReader) -> bool:
    """Read an order, and return whether it asks for another fork."""
    try:
        return orders.read_one().type == "fork"
    except EOFError:
        _end_kernel()


def _end_kernel() -> NoReturn:
    """End all processes of the kernel, because the supervisor is gone."""
    kill_kernel()
    os._exit(0)


def _report_exit(child: int, pipes: SupervisorPipes) -> None:
    """Report the end of the active process to the supervisor, if it has ended.

    Only its parent, the checkpoint, can read its wait status.
    """
    try:
        pid, status = os.waitpid(child, os.WNOHANG)
    except ChildProcessError:
        return
    if pid == child:
        try:
            pipes.send_notice(PlainFrame("process-exited", pid=pid, status=status))
        except OSError:  # the active process has noticed sooner that the supervisor is gone
            _end_kernel()


def _run_active(
    interpreter: LanguageInterpreter, pipes: SupervisorPipes, turn: int, fork_obstacle: str = ""
) -> None:
    """Run jobs until the supervisor orders a commit.

    `fork_obstacle` says why this process was not forked and has no checkpoint, and is otherwise
    empty.
    """
    if not fork_obstacle:
        _set_process_group(0)
    pipes.send_notice(
        PlainFrame(
            "ready",
            pid=os.getpid(),
            checkpoint=0 if fork_obstacle else os.getppid(),
            engine_version=interpreter.version,
            is_interruptible=interpreter.is_interruptible,
            fork_obstacle=fork_obstacle,
        )
    )
    orders = PlainFrameReader(pipes.orders[turn])
    # The warm-up comes after the notice, because no user waits for this process before it gets a
    # job.
    warm = getattr(interpreter, "warm", None)
    if warm is not None:
        warm()
    while True:
        try:
            order = orders.read_one()
        except KeyboardInterrupt:  # an interrupt that arrived after its job had ended
            continue
        except EOFError:
            os._exit(0)
        except OSError:
            os._exit(LOST_CONNECTION_EXIT_CODE)
        if order.type == "commit":
            return
        if order.type != "fork":
            # If the process ends after this notice, the job may be partly done.
            pipes.send_notice(PlainFrame("job-started"))
            pipes.send_notice(run_job(interpreter, order, pipes.send_notice, JobLimits(order)))


class JobLimits:
    """Context manager that limits the memory and time of the process during one job.

    The time limit here is a safety net: normally the supervisor stops the job first.
    """

    def __init__(self, job: PlainFrame) -> None:
        self._seconds = min(job.seconds, _MAX_ALARM_SECONDS) + ALARM_GRACE_SECONDS
        self._memory = job.memory_bytes if job.type == "evaluate" else 0

    def __enter__(self) -> None:
        """Set the limits."""
        _soft, self._hard = resource.getrlimit(resource.RLIMIT_AS)
        is_unlimited = self._hard == resource.RLIM_INFINITY
        if self._memory and (is_unlimited or self._memory < self._hard):
            _set_memory_limit(self._memory, self._hard)
        # The supervisor enforces the time limit. The alarm ends this process if the supervisor was
        # killed.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def __exit__(self, *_: object) -> None:
        """Remove the limits."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        if self._memory:
            _set_memory_limit(self._hard, self._hard)


def _set_memory_limit(soft: int, hard: int) -> None:
    try:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    except (OSError, ValueError):  # macOS does not limit address space
        pass
