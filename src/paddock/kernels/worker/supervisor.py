"""Supervisor process of a worker: enforces limits and never runs user code.

It forwards jobs to the active process and results to the server, collects printed output, kills
evaluations that exceed their limits, has the checkpoint fork a replacement, and ends all processes
when the server closes the connection or is gone.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Literal, NoReturn

from paddock.kernels import sandbox
from paddock.kernels.child.evaluator_process import (
    LOST_CONNECTION_EXIT_CODE,
    SupervisorPipes,
    run_evaluator,
)
from paddock.kernels.child.job_runner import load_interpreter
from paddock.kernels.child.output_capture import OutputCapture
from paddock.kernels.child.process_tree import kill_descendants, kill_tree, reap_children
from paddock.kernels.worker import frames
from paddock.kernels.worker.worker_pipes import WorkerPipes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import msgspec

_FORK_TIMEOUT_SECONDS = 10.0
"""Time limit for a new active process to report that it is ready."""
_INTERRUPT_GRACE_SECONDS = 3.0  # One second is too short on a machine with many busy processes.
"""Time that an interruptible engine has to end an evaluation after SIGINT before it is killed."""
_MAX_POLL_SECONDS = 3600.0
"""Upper bound for one `poll` call, whose timeout is limited to about 24 days."""
_OUT_OF_MEMORY_TEXT = b"memory allocation of "
"""Start of the line that a Rust program prints before it aborts because it is out of memory."""
_BACKTRACE_TEXT = b"note: run with `RUST_BACKTRACE"


def main() -> NoReturn:
    """Run a worker whose engine is a package in Paddock's own Python.

    The arguments in `sys.argv` are the engine's interpreter module, and the word `network` if
    network access is allowed. The evaluator process is forked from this process, the supervisor, so
    both share the memory of imported modules.
    """
    interpreter, *flags = sys.argv[1:]
    pipes = WorkerPipes()
    restrictions = sandbox.enter_sandbox(network="network" in flags)
    # Orphans become children of this process, which can then find and kill them.
    sandbox.adopt_orphans()
    child_pid = os.fork()
    if child_pid == 0:
        pipes.close_supervisor_ends()
        supervisor_pipes = SupervisorPipes(pipes.order_readers, pipes.notice_writer)
        run_evaluator(partial(load_interpreter, interpreter), supervisor_pipes)
    Supervisor(pipes, child_pid, restrictions).run()


class Supervisor:
    """A supervisor's state and event loop.

    There are at most two evaluator processes: the active one runs jobs, and the checkpoint keeps
    the state from before the job. Each reads its orders from one of two pipes. A process keeps its
    pipe when it becomes the checkpoint, so the next active process uses the other one.
    """

    def __init__(self, pipes: WorkerPipes, first_pid: int, restrictions: Sequence[str]) -> None:
        os.close(pipes.notice_writer)
        self._pipes = pipes
        self._requests = frames.FrameReader(pipes.requests, frames.decode_request)
        self._notices = frames.FrameReader(pipes.notice_reader, frames.decode_notice)
        self._capture = OutputCapture(pipes.output)
        self._restrictions = list(restrictions)
        self._checkpoint_pid: int | None = first_pid
        self._active_pid: int | None = None
        # Of the two pipes for orders, the active process reads one and the checkpoint the other.
        self._active_pipe_index = 1
        self._is_ready = False
        self._is_started = False
        self._job: frames.Job | None = None
        self._job_phase: Literal["waiting", "sent", "started"] = "waiting"
        # The first process also loads the engine, which takes longer than a fork.
        self._deadline = time.monotonic() + _FORK_TIMEOUT_SECONDS * 6
        self._stop_cause: Literal["timed-out", "cancelled"] | None = None
        self._pending_result: frames.JobResult | None = None
        self._was_replaced = False
        self._job_started_at = 0.0
        self._can_interrupt = False
        self._fork_obstacle = ""

    def run(self) -> NoReturn:
        """Process events until the server is gone, then exit.

        The events are server requests, notices and printed output from the evaluator processes, and
        process exits.
        """
        # SIGCHLD writes to this pipe, so `poll` also returns when a child ends.
        wakeup_reader, wakeup_writer = os.pipe()
        os.set_blocking(wakeup_writer, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(wakeup_writer)
        pipes = self._pipes
        for handle in (pipes.output, pipes.notice_reader, wakeup_reader):
            os.set_blocking(handle, False)

        def reap_after_signal() -> None:
            os.read(wakeup_reader, 4096)
            self._reap_children()

        # The order of the readers matters. A process's output and notices must be handled before
        # its exit.
        readers = {
            pipes.output: self._capture.read_available,
            pipes.notice_reader: self._read_notices,
            wakeup_reader: reap_after_signal,
            pipes.requests: self._read_requests,
        }
        poll = select.poll()
        for handle in readers:
            poll.register(handle, select.POLLIN)
        self._reap_children()  # a child may have ended before the handler was installed
        while True:
            ready = {handle for handle, _ in poll.poll(self._get_poll_timeout())}
            for handle, read in readers.items():
                if handle in ready:
                    read()
            if time.monotonic() >= self._deadline:
                self._handle_deadline()

    def _reap_children(self) -> None:
        """Handle all children that have ended."""
        exits = reap_children()
        self._read_notices()  # a process may have sent its result just before it ended
        for pid, status in exits:
            self._handle_exit(pid, status)

    def _get_poll_timeout(self) -> float | None:
        if self._deadline == float("inf"):
            return None
        remaining = max(0.0, self._deadline - time.monotonic())
        # The timeout is one millisecond longer so that `poll` does not return just before the
        # deadline.
        return min(remaining, _MAX_POLL_SECONDS) * 1000 + 1

    def _read_requests(self) -> None:
        """Process server requests: to run a job, or to cancel the running job.

        The server sends the next job only after the reply to the previous one.
        """
        try:
            for request in self._requests.read_messages():
                if not isinstance(request, frames.CancelRequest):
                    self._job = request
                    self._job_started_at = time.monotonic()
                    self._send_job()
                elif self._job is not None and self._stop_cause is None:
                    self._stop_job("cancelled")
        except (EOFError, OSError, ValueError):
            self._exit_process()

    def _read_notices(self) -> None:
        """Process notices from the evaluator processes.

        User code runs in these processes and can write anything to the pipe. Invalid data ends the
        active process, but never the supervisor.
        """
        try:
            for notice in self._notices.read_messages():
                self._handle_notice(notice)
        except BlockingIOError:
            return
        except (EOFError, ValueError):  # msgspec raises subclasses of ValueError
            # User code may have written to the pipe, so the rest of its content is unusable.
            self._notices.clear()
            if self._job is not None and self._job_phase != "waiting":
                self._pending_result = frames.JobResult(
                    self._stop_cause or "crashed", seconds=time.monotonic() - self._job_started_at
                )
            self._kill_active()

    def _handle_notice(self, notice: frames.EvaluatorNotice) -> None:
        """Handle a notice from an evaluator process according to its type."""
        match notice:
            case frames.ProcessReady():
                self._handle_ready(notice)
            case frames.JobStarted():
                # User code can also send this notice, so it counts only after the job was sent.
                if self._job_phase == "sent":
                    self._job_phase = "started"
            case frames.OutputEvent():
                self._capture.add_output(notice)
            case frames.JobResult():
                self._handle_result(notice)
            case frames.ProcessExited(pid, status):
                self._handle_exit(pid, status)
            case frames.StartupFailed():
                self._send_message(notice)
                self._exit_process()

    def _handle_ready(self, ready: frames.ProcessReady) -> None:
        """Register a new active process, and continue with the work that was waiting for it.

        This is either the reply to a job that was rolled back, or a job that arrived in the
        meantime.
        """
        self._active_pid, self._checkpoint_pid = ready.pid, ready.checkpoint or None
        self._fork_obstacle = ready.fork_obstacle
        self._is_ready = True
        self._can_interrupt = ready.is_interruptible
        self._deadline = float("inf")
        if not self._is_started:
            self._is_started = True
            self._capture.clear()
            self._send_message(
                frames.WorkerStarted(os.getpid(), ready.engine_version, self._restrictions)
            )
        self._send_message(frames.WorkerProcesses(ready.checkpoint, ready.pid))
        if self._pending_result is not None:
            self._send_reply(self._pending_result, is_rolled_back=True)
        elif self._job is not None:
            self._send_job()

    def _send_job(self) -> None:
        """Send the pending job, if any, to the active process if it is ready."""
        if not self._is_ready or self._job is None or self._job_phase != "waiting":
            return
        self._capture.clear()
        self._capture.limit_bytes = (
            self._job.output_bytes if isinstance(self._job, frames.EvaluateRequest) else 1 << 16
        )
        self._job_phase = "sent"
        self._deadline = time.monotonic() + self._job.seconds
        self._send_order(self._active_pipe_index, self._job)

    def _send_order(self, pipe_index: int, order: msgspec.Struct) -> None:
        frames.send_request(self._pipes.order_writers[pipe_index], order)

    def _handle_result(self, result: frames.JobResult) -> None:
        """Handle the result of a job by committing the job or rolling it back.

        If the job was completed, the active process becomes the checkpoint, which keeps the
        changes. If it was stopped, the active process is killed, and the checkpoint forks another
        one without the changes. In that case, the reply is sent when that process is ready.
        """
        # A late result from a stopped job, or one forged by user code, is ignored.
        if self._job is None or self._job_phase == "waiting" or self._pending_result is not None:
            return
        if self._stop_cause is not None:
            # After an interrupt, the engine may report an ordinary result. The user must see that
            # the job was stopped.
            result.status = self._stop_cause
        is_ended_early = result.status not in {"done", "failed"}
        if is_ended_early and not self._fork_obstacle:
            self._pending_result = result
            self._kill_active()
            return
        is_changed = not isinstance(self._job, frames.DumpStateRequest)
        self._capture.read_available()
        if self._checkpoint_pid is not None and _reap_child(self._checkpoint_pid):
            self._checkpoint_pid, self._was_replaced = None, True
        self._send_reply(result, keep_reason=self._fork_obstacle if is_ended_early else "")
        if is_changed:
            self._commit_job()

    def _commit_job(self) -> None:
        """Make the active process the checkpoint, which then forks the next active process.

        The previous checkpoint is killed, so the last job's changes become permanent.
        """
        self._is_ready = False
        if self._checkpoint_pid is not None:
            with contextlib.suppress(OSError):
                os.kill(self._checkpoint_pid, signal.SIGKILL)
            # Until the old checkpoint has ended, it might read an order for the next active
            # process, which will use the same pipe.
            _reap_child(self._checkpoint_pid, options=0)
        # The pipe may hold an order that the old checkpoint did not read before it was killed.
        frames.read_available_bytes(self._pipes.order_readers[1 - self._active_pipe_index])
        self._checkpoint_pid, self._active_pid = self._active_pid, None
        self._deadline = time.monotonic() + _FORK_TIMEOUT_SECONDS
        self._send_order(self._active_pipe_index, frames.CommitOrder())
        self._active_pipe_index = 1 - self._active_pipe_index

    def _handle_exit(self, pid: int, status: int) -> None:
        """Handle the end of a child, which may also be an adopted orphan."""
        if pid == self._active_pid:
            self._replace_active(status)
        elif pid == self._checkpoint_pid:
            self._replace_checkpoint()

    def _replace_checkpoint(self) -> None:
        """Replace a checkpoint that was killed by a process outside Paddock.

        If no job is running, the active process has the same state and becomes the checkpoint.
        """
        self._checkpoint_pid = None
        self._was_replaced = True
        if self._active_pid is None:
            self._exit_with_failure()
        elif self._is_ready and self._job_phase == "waiting":
            self._commit_job()

    def _replace_active(self, status: int) -> None:
        """Have the checkpoint fork a replacement for the active process, which has ended.

        This rolls back the last job's changes. If the process ended during a job, the job gets a
        result. If the job had not started, the replacement runs it.

        Args:
            status: The wait status of the active process.
        """
        self._capture.read_available()
        self._notices.clear()
        self._is_ready = False
        ended_pid, self._active_pid = self._active_pid, None
        if ended_pid is not None:
            kill_tree(ended_pid)  # programs that it started must not outlive it
        is_stopped = self._stop_cause is not None and self._job_phase != "waiting"
        if self._job is not None and (self._job_phase == "started" or is_stopped):
            self._pending_result = self._pending_result or self._build_exit_result(status)
        else:
            # The process was killed externally before it started the job, so its replacement can
            # run the job.
            self._was_replaced = True
            self._job_phase = "waiting"
        if self._checkpoint_pid is None:
            self._exit_with_failure()
        frames.read_available_bytes(self._pipes.order_readers[self._active_pipe_index])
        self._deadline = time.monotonic() + _FORK_TIMEOUT_SECONDS
        self._send_order(1 - self._active_pipe_index, frames.ForkOrder())

    def _build_exit_result(self, status: int) -> frames.JobResult:
        """Return the result of a job whose process ended before sending a result.

        Args:
            status: The wait status of the process, which shows why it ended.
        """
        result = frames.JobResult("crashed", seconds=time.monotonic() - self._job_started_at)
        if self._stop_cause is not None:
            result.status = self._stop_cause
        elif os.WIFEXITED(status) and os.WEXITSTATUS(status) == LOST_CONNECTION_EXIT_CODE:
            result.detail = "the code closed the descriptors that the kernel needs"
        elif os.WIFEXITED(status):
            result.status, result.detail = "quit", str(os.WEXITSTATUS(status))
        # A Rust engine aborts when an allocation fails. Only its last line shows that memory was
        # the cause.
        elif os.WTERMSIG(status) == signal.SIGABRT and self._capture.remove_last_line(
            _OUT_OF_MEMORY_TEXT
        ):
            result.status = "out-of-memory"
            self._capture.remove_last_line(_BACKTRACE_TEXT)
        else:
            result.detail = _get_signal_name(os.WTERMSIG(status))
        return result

    def _handle_deadline(self) -> None:
        """Stop the job, kill its process, or report a failure when the current deadline has passed.

        The deadline is the running job's time limit, the end of the grace period after an
        interrupt, or the time limit for the start of an active process.
        """
        if self._job is not None and self._job_phase != "waiting" and self._stop_cause is None:
            self._stop_job("timed-out")
        elif self._stop_cause is not None and self._is_ready:
            self._kill_active()  # the engine did not react to the interrupt
        elif not self._is_ready:
            self._exit_with_failure()
        else:
            self._deadline = float("inf")

    def _stop_job(self, cause: Literal["timed-out", "cancelled"]) -> None:
        """Interrupt the running job, or kill its process if the engine cannot be interrupted.

        An interrupted engine is killed only if it does not stop within a grace period.

        Args:
            cause: The reason, which becomes the status of the job's result.
        """
        self._stop_cause = cause
        if self._job_phase == "waiting":
            # The job has not started, because no process is ready. The reply is sent as soon as one
            # is.
            self._pending_result = frames.JobResult(cause)
            self._job_phase = "sent"
            return
        if self._can_interrupt and self._active_pid is not None:
            self._deadline = time.monotonic() + _INTERRUPT_GRACE_SECONDS
            with contextlib.suppress(OSError):
                os.kill(self._active_pid, signal.SIGINT)
        else:
            self._kill_active()

    def _kill_active(self) -> None:
        """Kill the active process. Its exit then makes the checkpoint fork a replacement."""
        self._deadline = time.monotonic() + _FORK_TIMEOUT_SECONDS
        self._capture.read_available()
        self._is_ready = False
        if self._active_pid is not None:
            kill_tree(self._active_pid)

    def _send_reply(
        self, result: frames.JobResult, *, is_rolled_back: bool = False, keep_reason: str = ""
    ) -> None:
        """Send the server the job's result with all its output, and prepare for the next job.

        Args:
            result: The result of the job.
            is_rolled_back: Whether a process with the state from before the job is ready.
            keep_reason: The reason why the changes of a stopped job were not rolled back, or empty.
        """
        pieces, dropped_bytes = self._capture.take_outputs()
        was_replaced, self._was_replaced = self._was_replaced, False
        self._job = self._pending_result = self._stop_cause = None
        self._job_phase = "waiting"
        self._deadline = float("inf")
        self._send_message(
            frames.JobReply(
                result, pieces, dropped_bytes, is_rolled_back, keep_reason, was_replaced
            )
        )

    def _send_message(self, frame: msgspec.Struct) -> None:
        try:
            frames.send_reply(self._pipes.replies, frame)
        except OSError:
            self._exit_process()

    def _exit_with_failure(self) -> NoReturn:
        """Report a failure to the server, and exit.

        Called when no process with the kernel's state is left, or when the engine cannot be
        started.
        """
        if not self._is_started:
            self._capture.read_available()
            self._send_message(frames.StartupFailed(self._describe_startup_failure()))
        if self._job is not None:
            self._send_reply(self._pending_result or frames.JobResult("crashed"))
        self._exit_process()

    def _describe_startup_failure(self) -> str:
        """Return the last line that the engine printed before its process ended."""
        printed = b"".join(
            piece for piece in self._capture.take_outputs()[0] if isinstance(piece, bytes)
        )
        lines = printed.decode(errors="replace").strip().splitlines()
        return f"its process ended: {lines[-1]}" if lines else "its process ended"

    def _exit_process(self) -> NoReturn:
        kill_descendants()
        os._exit(0)


def _get_signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # real-time signals have no names
        return f"signal {number}"


def _reap_child(pid: int, options: int = os.WNOHANG) -> bool:
    """Reap a child if it has ended, and return whether it had. Wait for it if `options` is 0."""
    with contextlib.suppress(ChildProcessError):
        return os.waitpid(pid, options)[0] == pid
    return False
