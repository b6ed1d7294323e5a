"""Server side of a worker: starts the process, sends jobs and reads replies.

`paddock.kernels.worker` describes the processes of a worker. None of their code runs here.
"""

from __future__ import annotations

import contextlib
import os
import queue
import secrets
import select
import sys
import threading
import time
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.kernels import sandbox
from paddock.kernels.child_process import (
    build_python_command,
    end_process,
    require_pipe,
    start_process,
)
from paddock.kernels.kernel import (
    COMPLETED_STATUSES,
    DEFAULT_CONTROL,
    KERNEL_ENDED_NOTE,
    ROLLED_BACK_NOTE,
    STATE_TIMEOUT_SECONDS,
    EvaluationControl,
    EvaluationOutput,
    EvaluationResult,
    EvaluationWatch,
    Kernel,
    KernelError,
    describe_dropped_output,
    describe_stop,
    never_cancelled,
)
from paddock.kernels.worker import frames
from paddock.kernels.worker.main import build_foreign_command

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Mapping, Sequence

    from paddock.kernels.kernel import CancelCheck, EvaluationLimits, StopCause

    PrintedOutputParser = Callable[[str, Sequence[str], str], list[EvaluationOutput]]

START_TIMEOUT_SECONDS = 60.0
_POLL_INTERVAL_SECONDS = 0.05
_SUPERVISOR_GRACE_SECONDS = 15.0
"""Time after a job's limit within which the supervisor must reply."""
_END_TIMEOUT_SECONDS = 5.0
_STATE_KEPT_NOTE = "Changes made until then were kept: the process could not be rolled back"


class _PollingReader:
    """Reader for messages that a worker's supervisor sends to the server."""

    def __init__(self, handle: int) -> None:
        self._stream = frames.FrameReader(handle, frames.decode_reply)
        self._messages: deque[frames.SupervisorMessage] = deque()
        self._poll = select.poll()
        self._poll.register(handle, select.POLLIN)

    def get_message(self, seconds: float) -> frames.SupervisorMessage | None:
        """Return the next message, or None if none arrives in time.

        Raises:
            EOFError: The worker has closed the connection.
            ValueError: The data is not a valid frame.
        """
        while not self._messages:
            if not self._poll.poll(seconds * 1000):
                return None
            self._messages.extend(self._stream.read_messages())
        return self._messages.popleft()


class _ThreadedReader:
    """Reader for a worker's messages on Windows, where pipes cannot be polled.

    A thread reads the pipe and queues the messages.
    """

    def __init__(self, handle: int) -> None:
        self._stream = frames.FrameReader(handle, frames.decode_reply)
        self._messages: queue.SimpleQueue[frames.SupervisorMessage | Exception] = (
            queue.SimpleQueue()
        )
        threading.Thread(target=self._read, daemon=True).start()

    def get_message(self, seconds: float) -> frames.SupervisorMessage | None:
        """Return the next message, or None if none arrives in time.

        Errors from the thread that reads the pipe are raised here; see
        `_PollingReader.get_message`.
        """
        try:
            message = self._messages.get(timeout=seconds)
        except queue.Empty:
            return None
        if isinstance(message, Exception):
            raise message
        return message

    def _read(self) -> None:
        try:
            while True:
                for message in self._stream.read_messages():
                    self._messages.put(message)
        except (EOFError, OSError, ValueError) as error:
            self._messages.put(error)


def parse_as_print(text: str, _messages: Sequence[str], _code: str) -> list[EvaluationOutput]:
    """Return all printed text as one print, for engines that print no messages."""
    return [EvaluationOutput("print", text.removesuffix("\n"))] if text else []


def start_worker(
    engine_name: str,
    interpreter: str,
    limits: EvaluationLimits,
    *,
    read_printed: PrintedOutputParser = parse_as_print,
    variables: Mapping[str, str] | None = None,
    is_forkless: bool = False,
    python: str | None = None,
    directory: Path | None = None,
) -> WorkerKernel:
    """Start a worker and wait until it is ready.

    The worker runs as multiple processes, as described in `paddock.kernels.worker`.

    Args:
        engine_name: The name of the engine, for error messages.
        interpreter: Name of the module that the worker imports to load the engine.
        limits: Limits for the whole kernel, such as network access.
        read_printed: Function that splits printed text into prints and messages. It receives the
            text, known messages, and the code.
        variables: Additional environment variables.
        is_forkless: Run without a supervisor or checkpoint, so the kernel ends when an evaluation
            must be stopped. Always the case on systems without `fork`.
        python: Path of another Python in which to run the engine. It needs only its standard
            library.
        directory: The engine's initial working directory.

    Raises:
        KernelError: The worker does not start.
    """
    is_forkless = is_forkless or not hasattr(os, "fork")
    arguments = [interpreter, *(["network"] if limits.network else [])]
    if python is None:
        module = "forkless_main" if is_forkless else "supervisor"
        command = _build_worker_command(module, arguments, limits)
    elif is_forkless:
        command = build_foreign_command(python, interpreter)
    else:
        command = _build_worker_command("main", [python, *arguments], limits)
    # User code runs with the same user ID as the server, and must not be able to read the server's
    # memory or environment.
    sandbox.block_process_inspection()
    process = start_process(
        command,
        engine_name,
        kernel_id=secrets.token_hex(8),
        variables=variables,
        directory=directory,
    )
    kernel = WorkerKernel(
        engine_name, process, has_network=limits.network, read_printed=read_printed
    )
    kernel.wait_until_started()
    return kernel


def _build_worker_command(module: str, arguments: list[str], limits: EvaluationLimits) -> list[str]:
    """Return the command that runs a module of this package in a sandboxed process."""
    reference = f"paddock.kernels.worker.{module}:main"
    command = build_python_command(reference, *arguments, search_path=_build_search_path())
    return [*sandbox.get_command_prefix(network=limits.network), *command]


def _build_search_path() -> list[str]:
    """Return the directories from which a worker imports modules.

    These are the directories in this process's `sys.path`, except for the working directory. Its
    modules belong to the user and could shadow those that the worker needs.
    """
    working_directory = Path.cwd()
    directories = (Path(entry) for entry in dict.fromkeys(sys.path) if entry)
    return [
        str(directory)
        for directory in directories
        if directory.is_absolute() and directory.resolve() != working_directory
    ]


class WorkerKernel(Kernel):
    """A kernel in a worker process.

    A lock ensures that each request is followed by its own reply.
    """

    def __init__(
        self,
        engine_name: str,
        process: subprocess.Popen[bytes],
        *,
        has_network: bool,
        read_printed: PrintedOutputParser = parse_as_print,
    ) -> None:
        self._engine_name = engine_name
        self._process = process
        self.has_network = has_network
        self._parse_printed = read_printed
        streams = (process.stdin, process.stdout, process.stderr)
        self._pipes = [require_pipe(stream) for stream in streams]
        self._requests = self._pipes[0].fileno()
        make_reader = _ThreadedReader if sys.platform == "win32" else _PollingReader
        self._replies = make_reader(self._pipes[1].fileno())
        self._lock = threading.RLock()
        self._is_alive = True
        self._is_busy = False
        self._startup_message: frames.WorkerStarted | None = None
        self._processes: frames.WorkerProcesses | None = None

    @property
    def is_alive(self) -> bool:
        """Whether the kernel can evaluate."""
        return self._is_alive and self._process.poll() is None

    def wait_until_started(self, seconds: float = START_TIMEOUT_SECONDS) -> None:
        """Wait until the worker has loaded its engine.

        Raises:
            KernelError: The worker has ended or is not ready in time. The error includes the last
                line that the worker wrote to standard error.
        """
        deadline = time.monotonic() + seconds
        try:
            while self._startup_message is None and time.monotonic() < deadline:
                self._handle_message(
                    self._replies.get_message(max(0.0, deadline - time.monotonic()))
                )
        except EOFError:
            self._abort_start("its process ended")
        if self._startup_message is None:
            self._abort_start(f"it was not ready after {seconds:.0f} s")

    def _evaluate(
        self, code: str, limits: EvaluationLimits, control: EvaluationControl
    ) -> EvaluationResult:
        """Evaluate code in the worker, as `Kernel.evaluate` describes."""
        job = frames.EvaluateRequest(
            code, limits.seconds, limits.memory_bytes, limits.output_bytes, limits.result_bytes
        )
        with self._lock:
            started_at = time.monotonic()
            reply = self._run_job(job, control)
        if reply is None:
            seconds = time.monotonic() - started_at
            return EvaluationResult("crashed", seconds=seconds, notes=(KERNEL_ENDED_NOTE,))
        is_ended_early = reply.result.status not in COMPLETED_STATUSES
        if is_ended_early and not reply.is_rolled_back and not reply.keep_reason:
            # The kernel is about to end. It is closed here so that `is_alive` is false when this
            # call returns.
            self.close()
        return self._build_result(reply, limits, code)

    def dump_state(
        self,
        seconds: float = STATE_TIMEOUT_SECONDS,
        is_cancelled: CancelCheck = never_cancelled,
    ) -> bytes | None:
        """Return all definitions, encoded for `restore`, or None; see `Kernel.dump_state`."""
        # A worker that cannot fork has no checkpoint to roll back to. Stopping the job would end
        # the kernel, so the job is not cancelled.
        if self._processes is None:
            seconds, is_cancelled = STATE_TIMEOUT_SECONDS, never_cancelled
        with self._lock:
            reply = self._run_job(frames.DumpStateRequest(seconds), EvaluationControl(is_cancelled))
        return None if reply is None or reply.result.status != "done" else reply.result.state

    def restore(self, state: bytes) -> str:
        """Load definitions saved by another kernel; see `Kernel.restore`."""
        with self._lock:
            reply = self._run_job(frames.RestoreRequest(state, STATE_TIMEOUT_SECONDS))
        if reply is None or reply.result.status != "done":
            reason = "its process ended" if reply is None else reply.result.status
            raise KernelError(f"{self._engine_name} could not restore saved definitions: {reason}")
        return reply.result.detail

    def close(self) -> None:
        """End the kernel and all its processes, and close the connection to it.

        The supervisor kills the processes when its standard input is closed.
        """
        self._is_alive = False
        end_process(self._process, _END_TIMEOUT_SECONDS)
        # A call in another thread may hold the lock while waiting for a reply. It notices the end
        # of the stream and then releases the lock.
        with self._lock:
            for pipe in self._pipes:
                pipe.close()

    def describe(self) -> dict[str, object]:
        """Return diagnostic data: the engine, the process IDs and the sandbox restrictions."""
        details: dict[str, object] = {
            "engine": self._engine_name,
            "guard": self._process.pid,
            "network": self.has_network,
        }
        if self._startup_message is not None:
            details["engine version"] = self._startup_message.engine_version
            details["confinement"] = self._startup_message.restrictions
        self._read_pending_messages()
        if self._processes is not None:
            details["checkpoint"] = self._processes.checkpoint
            details["active"] = self._processes.active
        return details

    def _run_job(
        self, job: frames.Job, control: EvaluationControl = DEFAULT_CONTROL
    ) -> frames.JobReply | None:
        """Send a job to the supervisor and wait for its reply.

        Returns None if the kernel has ended. It is then closed.
        """
        if not self._is_alive:
            return None
        self._is_busy = True
        try:
            frames.send_request(self._requests, job)
            return self._wait_for_reply(job, control)
        except (OSError, EOFError, ValueError):
            self.close()
            return None
        finally:
            self._is_busy = False

    def _wait_for_reply(self, job: frames.Job, control: EvaluationControl) -> frames.JobReply:
        """Wait for the reply to a job, reporting progress to the caller.

        If the caller cancels the job, the supervisor is notified. It still sends a reply, so the
        wait continues.

        Raises:
            EOFError: The supervisor has ended, or does not reply in time.
        """

        def interrupt(cause: StopCause) -> float:
            # Normally, the supervisor stops the job before this time limit. It is not responding.
            if cause == "timed-out":
                return 0.0
            frames.send_request(self._requests, frames.CancelRequest())
            return job.seconds + _SUPERVISOR_GRACE_SECONDS

        watch = EvaluationWatch(control, job.seconds + _SUPERVISOR_GRACE_SECONDS, interrupt)
        while watch.check():
            reply = self._handle_message(self._replies.get_message(_POLL_INTERVAL_SECONDS))
            if reply is not None:
                return reply
        raise EOFError

    def _handle_message(self, message: frames.SupervisorMessage | None) -> frames.JobReply | None:
        """Handle a message from the supervisor, and return it if it is the reply to a job.

        Other messages describe the worker and its processes. They are stored in this object.

        Args:
            message: The message, or None if none has arrived.

        Raises:
            KernelError: The message reports that the engine cannot be started.
        """
        match message:
            case frames.JobReply():
                return message
            case frames.WorkerStarted():
                self._startup_message = message
            case frames.WorkerProcesses():
                self._processes = message
            case frames.StartupFailed():
                self._abort_start(message.text)
        return None

    def _read_pending_messages(self) -> None:
        """Handle the messages about the worker's processes that have arrived since the last job.

        Does nothing while another thread is waiting for a reply, because that thread handles all
        messages.
        """
        if self._is_busy or not self._lock.acquire(blocking=False):
            return
        try:
            with contextlib.suppress(EOFError, OSError, ValueError):
                while self._is_alive and (message := self._replies.get_message(0)) is not None:
                    self._handle_message(message)
        finally:
            self._lock.release()

    def _abort_start(self, reason: str) -> None:
        """End the worker and raise an error with the last line of its standard error."""
        self._process.kill()
        last_line = self._pipes[2].read().decode(errors="replace").strip().splitlines()[-1:]
        self.close()
        details = ": ".join([reason, *last_line])
        raise KernelError(f"{self._engine_name} cannot be started: {details}")

    def _build_result(
        self, reply: frames.JobReply, limits: EvaluationLimits, code: str
    ) -> EvaluationResult:
        """Convert a supervisor reply to an evaluation result.

        If the evaluation was stopped, notes state the reason and the kernel's state.
        """
        job_result = reply.result
        return EvaluationResult(
            job_result.status,
            job_result.result,
            tuple(self._build_outputs(reply, code)),
            job_result.seconds,
            job_result.peak_bytes,
            tuple(filter(None, _build_notes(reply, limits))),
        )

    def _build_outputs(self, reply: frames.JobReply, code: str) -> list[EvaluationOutput]:
        """Return the printed texts, messages and images in a reply, in order.

        Some engines print their messages. The engine's parser separates them from other printed
        text.

        Args:
            reply: The supervisor's reply.
            code: The code that was evaluated.
        """
        outputs: list[EvaluationOutput] = []
        for piece in reply.pieces:
            if isinstance(piece, bytes):
                text = piece.decode(errors="replace")
                outputs += self._parse_printed(text, reply.result.messages, code)
            else:
                outputs.append(EvaluationOutput(piece.kind, piece.text, piece.data, piece.mime))
        return outputs


def _build_notes(reply: frames.JobReply, limits: EvaluationLimits) -> list[str]:
    """Return sentences for the user about dropped output, lost processes and a stopped evaluation.

    If the evaluation was stopped, the last sentence states whether its changes were rolled back.
    Sentences that do not apply are empty.
    """
    is_completed = reply.result.status in COMPLETED_STATUSES
    notes = [describe_dropped_output(reply.dropped_bytes, limits)]
    # In all other cases, the last note describes the state of the kernel.
    if reply.was_replaced and (reply.is_rolled_back or is_completed):
        notes.append(
            "A process of the kernel was killed from outside and has been replaced; "
            "its definitions are kept."
        )
    if is_completed:
        return notes
    notes.append(_describe_status(reply.result, limits))
    if reply.is_rolled_back:
        notes.append(ROLLED_BACK_NOTE)
    elif reply.keep_reason:
        notes.append(f"{_STATE_KEPT_NOTE} because {reply.keep_reason}.")
    else:
        notes.append(KERNEL_ENDED_NOTE)
    return notes


def _describe_status(job_result: frames.JobResult, limits: EvaluationLimits) -> str:
    if job_result.status == "quit":
        return f"The code ended the kernel with exit code {job_result.detail or 0}."
    if job_result.status == "crashed":
        return f"The kernel crashed{f' ({job_result.detail})' if job_result.detail else ''}."
    return describe_stop(job_result.status, limits)
