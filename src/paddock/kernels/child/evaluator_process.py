"""Evaluator processes: the active process and the checkpoint, which hold the state of a kernel.

Both run the same loop. A process is active until the supervisor orders it to commit. From then on,
it is the checkpoint. The processes follow the supervisor's orders and exit when it is gone.

A forked process has one thread and no children. A process that has other threads or children is
therefore not forked, because its copy would lack them. Until they have ended, it stays active
without a checkpoint, and evaluations cannot be rolled back. Compatible with Python 3.8.
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
"""Delay after a job's time limit before the process ends itself, unless it was stopped sooner."""
LOST_CONNECTION_EXIT_CODE = 213
"""Exit code of a process after user code has closed its connection to the supervisor."""

_MAX_ALARM_SECONDS = 1e7
"""Maximum interval that timers accept on all supported systems."""
_TASK_DIRECTORY = "/proc/self/task"


def find_fork_obstacle() -> str:
    """Return the reason why this process cannot be forked, or an empty string if it can.

    A fork copies only the current thread. Other threads and child processes, which user code may
    have started, would be missing from the copy. The reason is shown to the user.
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
    if _has_persistent_threads():
        return "a library has started threads that a copy of the process would not have"
    return ""


def fork_process() -> int | None:
    """Fork this process, preserving the state of the `random` module in the child.

    Returns:
        Like `os.fork`, the child's process ID in the parent and 0 in the child, or None if the
        system cannot create a process.
    """
    random: Any = sys.modules.get("random")
    try:
        random_state = random.getstate()
    except Exception:  # `random` is not imported, or was replaced by user code
        random_state = None
    try:
        child_pid = os.fork()
    except OSError:
        return None
    if child_pid == 0 and random_state is not None:
        # CPython reseeds `random` in the child, but a sequence that user code has seeded must
        # continue.
        random.setstate(random_state)
    return child_pid


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


def _has_persistent_threads() -> bool:
    """Return whether native libraries run threads that they do not stop before a fork.

    Such threads would be missing from a forked process. Libraries with fork handlers, such as
    OpenBLAS, stop their threads before a fork and restart them when needed. Therefore, this
    function forks a child that exits immediately, then counts the remaining threads.
    """
    if _count_tasks() < 2:
        return False
    try:
        child_pid = os.fork()
    except OSError:
        return True
    if child_pid == 0:
        os._exit(0)
    os.waitpid(child_pid, 0)
    return _count_tasks() > 1


def _count_tasks() -> int:
    """Return the number of threads in this process, or 1 if it is unknown."""
    try:
        return len(os.listdir(_TASK_DIRECTORY))
    except OSError:
        return 1


class SupervisorPipes:
    """Pipes between the supervisor and the evaluator processes.

    Attributes:
        orders: Read ends of the two pipes that carry the supervisor's orders. The active process
            reads one of them, and its checkpoint (the process that it was forked from) reads the
            other, so neither reads orders meant for the other.
        notices: Write end of the pipe to the supervisor, which both processes use.
    """

    def __init__(self, orders: tuple[int, int], notices: int) -> None:
        self.orders = orders
        self.notices = notices
        self._notices_identity = get_file_identity(notices)

    def send_notice(self, notice: PlainFrame) -> None:
        """Send the supervisor a message, such as `ready` or the result of a job.

        If user code has closed the pipe's descriptor, the process exits, because it can no longer
        reach the supervisor.
        """
        # Even if the pipe was closed, the descriptor may be open, because user code may have opened
        # another file under the same number. Therefore, the file itself is compared.
        if get_file_identity(self.notices) != self._notices_identity:
            os._exit(LOST_CONNECTION_EXIT_CODE)
        send_frame(self.notices, notice)


def run_evaluator(
    make_interpreter: Callable[[], LanguageInterpreter], pipes: SupervisorPipes
) -> NoReturn:
    """Load the engine, then act as the active process or the checkpoint until the kernel ends.

    The active process evaluates code. Its checkpoint, the process that it was forked from, keeps
    the state from before the evaluation, so the evaluation can be rolled back. After each fork, the
    child becomes the active process and the parent its checkpoint. A process returns to this loop
    when the supervisor orders a commit (the active process becomes the next checkpoint) or a fork
    (the checkpoint creates another active process).
    """
    try:
        interpreter = make_interpreter()
    except BaseException as error:  # any failure is reported to the server
        pipes.send_notice(PlainFrame("startup-failed", text=f"{type(error).__name__}: {error}"))
        os._exit(1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    pipe_index = 0
    while True:
        pipe_index = 1 - pipe_index
        obstacle = find_fork_obstacle()
        child_pid = None if obstacle else fork_process()
        if child_pid is None:
            reason = obstacle or "the system could not create another process"
            _run_active(interpreter, pipes, pipe_index, reason)
        elif child_pid == 0:
            _run_active(interpreter, pipes, pipe_index)
        else:
            pipe_index = 1 - pipe_index
            _run_checkpoint(child_pid, pipes, pipe_index)


def _run_checkpoint(child_pid: int, pipes: SupervisorPipes, pipe_index: int) -> None:
    """Keep the state from before an evaluation until the supervisor orders another fork.

    In the meantime, report to the supervisor if the active process ends.

    Args:
        child_pid: Process ID of the active process.
        pipes: The connection to the supervisor.
        pipe_index: Index of the order pipe that this process reads.
    """
    _set_process_group(child_pid)  # in parent and child, because either may run first
    # SIGCHLD writes to this pipe, so `select` also returns when the active process ends.
    wakeup_reader, wakeup_writer = os.pipe()
    os.set_blocking(wakeup_writer, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    previous_wakeup = signal.set_wakeup_fd(wakeup_writer)
    try:
        _report_exit(child_pid, pipes)  # it may have ended before the handler was installed
        orders = PlainFrameReader(pipes.orders[pipe_index])
        while True:
            ready, _, _ = select.select([orders.handle, wakeup_reader], [], [])
            if wakeup_reader in ready:
                os.read(wakeup_reader, 512)
                _report_exit(child_pid, pipes)
            if orders.handle in ready and _read_order(orders).type == "fork":
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


def _read_order(orders: PlainFrameReader) -> PlainFrame:
    """Read an order from the supervisor, or end the kernel if the supervisor is gone."""
    try:
        return orders.read_frame()
    except EOFError:
        _end_kernel()


def _end_kernel() -> NoReturn:
    """End all processes of the kernel, because the supervisor is gone."""
    kill_kernel()
    os._exit(0)


def _report_exit(child_pid: int, pipes: SupervisorPipes) -> None:
    """Report to the supervisor that the active process has ended, if it has.

    The checkpoint does this because only a process's parent can read its wait status.
    """
    try:
        pid, status = os.waitpid(child_pid, os.WNOHANG)
    except ChildProcessError:
        return
    if pid == child_pid:
        try:
            pipes.send_notice(PlainFrame("process-exited", pid=pid, status=status))
        except OSError:  # the active process noticed first that the supervisor is gone
            _end_kernel()


def _run_active(
    interpreter: LanguageInterpreter,
    pipes: SupervisorPipes,
    pipe_index: int,
    fork_obstacle: str = "",
) -> None:
    """Run jobs until the supervisor orders a commit, which ends this process's active role.

    Args:
        interpreter: The engine that runs the jobs.
        pipes: The connection to the supervisor.
        pipe_index: Index of the order pipe that this process reads.
        fork_obstacle: The reason why this process could not be forked and therefore has no
            checkpoint, or an empty string if it has one.
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
    orders = PlainFrameReader(pipes.orders[pipe_index])
    # The warm-up follows the notice, so the supervisor does not wait for it. It costs the user no
    # time until the next job arrives.
    warm = getattr(interpreter, "warm", None)
    if warm is not None:
        warm()
    while True:
        try:
            order = orders.read_frame()
        except KeyboardInterrupt:  # an interrupt that arrived after its job had ended
            continue
        except EOFError:
            os._exit(0)
        except OSError:
            os._exit(LOST_CONNECTION_EXIT_CODE)
        if order.type == "commit":
            return
        if order.type != "fork":
            # If the process ends after this notice, the job may have been partly executed.
            pipes.send_notice(PlainFrame("job-started"))
            pipes.send_notice(run_job(interpreter, order, pipes.send_notice, JobLimits(order)))


class JobLimits:
    """Context manager that limits this process's memory and time during one job.

    The time limit is a safety net in case the supervisor was killed. Normally, the supervisor stops
    the job first. Only evaluations have a memory limit.
    """

    def __init__(self, job: PlainFrame) -> None:
        self._seconds = min(job.seconds, _MAX_ALARM_SECONDS) + ALARM_GRACE_SECONDS
        self._memory = job.memory_bytes if job.type == "evaluate" else 0

    def __enter__(self) -> None:
        """Set the memory limit, and start the timer that kills this process."""
        _soft, self._hard = resource.getrlimit(resource.RLIMIT_AS)
        is_unlimited = self._hard == resource.RLIM_INFINITY
        if self._memory and (is_unlimited or self._memory < self._hard):
            _set_memory_limit(self._memory, self._hard)
        # The supervisor enforces the time limit. The alarm ends this process if the supervisor has
        # been killed.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def __exit__(self, *_: object) -> None:
        """Stop the timer, and remove the memory limit."""
        signal.setitimer(signal.ITIMER_REAL, 0)
        if self._memory:
            _set_memory_limit(self._hard, self._hard)


def _set_memory_limit(soft: int, hard: int) -> None:
    try:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
    except (OSError, ValueError):  # macOS does not limit address space
        pass
