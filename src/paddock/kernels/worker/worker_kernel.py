"""Frames from a worker, with a bound on the waiting.

A kernel that is a worker of ours, as the server sees it: starts it, sends jobs, reads replies.

What a worker does is in `paddock.kernels.worker`; nothing of that runs in this process.
"""

from __future__ import annotations

import contextlib
import os
import queue
import secrets
import select
import subprocess
import sys
import threading
import time
from collections import deque
from pathlib import Path
from typing import IO, TYPE_CHECKING

from paddock.kernels import sandbox
from paddock.kernels.child.process_tree import KERNEL_ID_VARIABLE
from paddock.kernels.kernel import (
    PROGRESS_INTERVAL_SECONDS,
    ROLLED_BACK_NOTE,
    STATE_TIMEOUT_SECONDS,
    EvaluationOutput,
    EvaluationResult,
    KernelError,
    ignore_progress,
    never_cancelled,
)
from paddock.kernels.worker.frames import (
    CancelRequest,
    DumpStateRequest,
    EvaluateRequest,
    FrameReader,
    Job,
    JobReply,
    RestoreRequest,
    StartupFailed,
    SupervisorMessage,
    WorkerProcesses,
    WorkerStarted,
    encode_frame,
    write_all,
)
from paddock.kernels.worker.main import WorkerSettings, build_foreign_command

if TYPE_CHECKING:
    from collections.abc import Callable


class _FrameThread:
    """Reads where pipes cannot be polled."""

    def __init__(self, stream: FrameReader[SupervisorMessage]) -> None:
        self._stream = stream
        self._frames: queue.SimpleQueue[SupervisorMessage | Exception] = queue.SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def get(self, seconds: float) -> SupervisorMessage:
        try:
            found = self._frames.get(timeout=seconds)
        except queue.Empty:
            raise TimeoutError from None
        if isinstance(found, Exception):
            raise found
        return found

    def _read(self) -> None:
        try:
            while True:
                for frame in self._stream.read():
                    self._frames.put(frame)
        except (EOFError, OSError, ValueError) as error:
            self._frames.put(error)


class ReplyReader:
    """Where a worker's frames are waited for."""

    def __init__(self, handle: int) -> None:
        self._frames: deque[SupervisorMessage] = deque()
        self._stream = FrameReader[SupervisorMessage](handle, SupervisorMessage)
        self._get_frame: Callable[[float], SupervisorMessage]
        if sys.platform == "win32":
            self._get = _FrameThread(self._stream).get
        else:
            self._poll = select.poll()
            self._poll.register(handle, select.POLLIN)
            self._get_frame = self._poll_frame

    def get(self, seconds: float) -> SupervisorMessage:
        """The next frame.

        Raises:
            TimeoutError: when none comes in time.
            EOFError: when none will come.
            ValueError: when what came is no frame.
        """
        return self._get_frame(seconds)

    def _poll_frame(self, seconds: float) -> SupervisorMessage:
        while not self._frames:
            if not self._poll.poll(seconds * 1000):
                raise TimeoutError
            self._frames.extend(self._stream.read())
        return self._frames.popleft()

    def close(self) -> None:
        """Wait no more."""
        self._frames.clear()


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from paddock.kernels.kernel import EvaluationLimits
    from paddock.kernels.worker.frames import JobResult

    PrintedOutputParser = Callable[[str, Sequence[str], str], list[EvaluationOutput]]

START_TIMEOUT_SECONDS = 60.0
_POLL_INTERVAL_SECONDS = 0.05
_SUPERVISOR_GRACE_SECONDS = 15.0
"""Seconds after a limit when the guard itself is given up."""
_END_TIMEOUT_SECONDS = 5.0
_COMPLETED_STATUSES = frozenset({"done", "failed"})
_BOOTSTRAP_CODE = """\
import os, sys
sys.path += sys.argv.pop().split(os.pathsep)
from paddock.kernels.worker.main import main
main()
"""


def parse_as_print(text: str, _messages: Sequence[str], _code: str) -> list[EvaluationOutput]:
    """What was printed, as one print; for engines that print no messages."""
    return [EvaluationOutput("print", text.removesuffix("\n"))] if text else []


def start_worker(
    engine_name: str,
    interpreter: str,
    limits: EvaluationLimits,
    *,
    read_printed: PrintedOutputParser = parse_as_print,
    variables: Mapping[str, str] | None = None,
    is_alone: bool = False,
    python: str | None = None,
    directory: Path | None = None,
) -> WorkerKernel:
    """Start a worker and wait until it can evaluate.

    `interpreter` is the module that the child imports, `read_printed` tells prints from messages
    in what was printed, given the texts of some messages and the code,
    `variables` are added to the environment. A worker that is alone has no checkpoint: it ends when
    an evaluation has to be stopped. Where there is no fork, all are. The engine runs in this
    interpreter unless `python` names another one, which needs nothing but its standard library;
    `directory` is where it begins.

    Raises:
        KernelError: when it does not start.
    """
    settings = WorkerSettings(
        interpreter,
        network=limits.network,
        is_alone=is_alone,
        python=python or "",
        directory="" if directory is None else str(directory),
    )
    command = [
        *sandbox.get_command_prefix(network=limits.network),
        # No site: what .pth files add is in the search path already, and costs time.
        *(sys.executable, "-I", "-S", "-c", _BOOTSTRAP_CODE),
        *settings.to_arguments(),
        os.pathsep.join(_build_search_path()),
    ]
    begins_in = None
    if python is not None and (is_alone or not hasattr(os, "fork")):
        command, begins_in = build_foreign_command(python, interpreter), directory
    sandbox.block_process_inspection()
    try:
        process = subprocess.Popen(  # noqa: S603 - our own interpreter
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=sandbox.build_environment()
            | {KERNEL_ID_VARIABLE: secrets.token_hex(8)}
            | dict(variables or {}),
            cwd=begins_in,
            start_new_session=True,
            bufsize=0,
        )
    except OSError as error:
        raise KernelError(f"{engine_name} cannot be started: {error}") from None
    kernel = WorkerKernel(
        engine_name, process, has_network=limits.network, read_printed=read_printed
    )
    kernel.wait_until_started()
    return kernel


def _build_search_path() -> list[str]:
    """Where the child finds modules: where this process does, but not in its working directory."""
    here = Path.cwd()
    paths = (Path(entry) for entry in dict.fromkeys(sys.path) if entry)
    return [str(path) for path in paths if path.is_absolute() and path.resolve() != here]


class WorkerKernel:
    """A worker, with the pipes to it."""

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
        self._has_network = has_network
        self._parse_printed = read_printed
        self._pipes = _get_pipes(process)
        self._requests = self._pipes[0].fileno()
        self._replies = ReplyReader(self._pipes[1].fileno())
        self._lock = threading.RLock()
        self._is_alive = True
        self._is_busy = False
        self._startup_message: WorkerStarted | None = None
        self._processes: WorkerProcesses | None = None

    @property
    def is_alive(self) -> bool:
        """Whether it can evaluate."""
        return self._is_alive and self._process.poll() is None

    @property
    def has_network(self) -> bool:
        """Whether it may use the network."""
        return self._has_network

    def wait_until_started(self, seconds: float = START_TIMEOUT_SECONDS) -> None:
        """Wait until the engine is there.

        Raises:
            KernelError: when it does not come.
        """
        deadline = time.monotonic() + seconds
        try:
            while self._startup_message is None:
                self._handle_message(self._replies.get(max(0.0, deadline - time.monotonic())))
        except EOFError:
            self._abort_start("its process ended")
        except TimeoutError:
            self._abort_start(f"it was not ready after {seconds:.0f} s")

    def evaluate(
        self,
        code: str,
        limits: EvaluationLimits,
        *,
        is_cancelled: Callable[[], bool] = never_cancelled,
        on_wait: Callable[[float], None] = ignore_progress,
    ) -> EvaluationResult:
        """Evaluate code within limits; see `Kernel.evaluate`."""
        job = EvaluateRequest(
            code, limits.seconds, limits.memory_bytes, limits.output_bytes, limits.result_bytes
        )
        if is_cancelled():
            return EvaluationResult(
                "cancelled", note="The call was cancelled before the evaluation began."
            )
        with self._lock:
            begun = time.monotonic()
            reply = self._run_job(job, is_cancelled, on_wait)
        if reply is None:
            return EvaluationResult(
                "crashed", seconds=time.monotonic() - begun, note=_KERNEL_ENDED_NOTE
            )
        is_ended_early = reply.answer.status not in _COMPLETED_STATUSES
        if is_ended_early and not reply.is_rolled_back and not reply.why_kept:
            self.close()  # it is ending, and must not be taken for one that goes on
        return self._build_result(reply, limits, code)

    def state(
        self,
        *,
        seconds: float = STATE_TIMEOUT_SECONDS,
        is_cancelled: Callable[[], bool] = never_cancelled,
    ) -> bytes | None:
        """The definitions, or None."""
        if self._processes is None:  # it has no checkpoint, and would end with being stopped
            seconds, is_cancelled = STATE_TIMEOUT_SECONDS, never_cancelled
        with self._lock:
            reply = self._run_job(DumpStateRequest(seconds), is_cancelled)
        return None if reply is None or reply.answer.status != "done" else reply.answer.state

    def restore(self, state: bytes) -> str:
        """Take over definitions; say what is missing."""
        with self._lock:
            reply = self._run_job(RestoreRequest(state, STATE_TIMEOUT_SECONDS))
        if reply is None or reply.answer.status != "done":
            how = "its process ended" if reply is None else reply.answer.status
            raise KernelError(f"{self._engine_name} did not take over the saved definitions: {how}")
        return reply.answer.detail

    def close(self) -> None:
        """End it; its guard ends all the others when the pipe is closed."""
        self._is_alive = False
        with contextlib.suppress(OSError):
            self._pipes[0].close()
        try:
            self._process.wait(_END_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        with self._lock:
            self._replies.close()
            for pipe in self._pipes:
                pipe.close()

    def describe(self) -> dict[str, object]:
        """Engine, process ids and confinement."""
        found: dict[str, object] = {
            "engine": self._engine_name,
            "guard": self._process.pid,
            "network": self._has_network,
        }
        if self._startup_message is not None:
            found["engine version"] = self._startup_message.engine_version
            found["confinement"] = self._startup_message.confinement
        self._read_pending_messages()
        if self._processes is not None:
            found["checkpoint"] = self._processes.checkpoint
            found["active"] = self._processes.active
        return found

    def _run_job(
        self,
        job: Job,
        is_cancelled: Callable[[], bool] = never_cancelled,
        on_wait: Callable[[float], None] = ignore_progress,
    ) -> JobReply | None:
        """Have a job done; None when the kernel has ended."""
        if not self._is_alive:
            return None
        self._is_busy = True
        try:
            write_all(self._requests, encode_frame(job))
            return self._wait_for_reply(job, is_cancelled, on_wait)
        except (OSError, EOFError, ValueError):
            self.close()
            return None
        finally:
            self._is_busy = False

    def _wait_for_reply(
        self, job: Job, is_cancelled: Callable[[], bool], on_wait: Callable[[float], None]
    ) -> JobReply:
        begun = time.monotonic()
        told = begun
        is_stopping = False
        while True:
            with contextlib.suppress(TimeoutError):
                reply = self._handle_message(self._replies.get(_POLL_INTERVAL_SECONDS))
                if reply is not None:
                    return reply
            now = time.monotonic()
            if not is_stopping and is_cancelled():
                is_stopping = True
                write_all(self._requests, encode_frame(CancelRequest()))
            if now - told >= PROGRESS_INTERVAL_SECONDS:
                told = now
                on_wait(now - begun)
            if now - begun > job.seconds + _SUPERVISOR_GRACE_SECONDS:
                raise EOFError

    def _handle_message(self, frame: SupervisorMessage) -> JobReply | None:
        match frame:
            case JobReply():
                return frame
            case WorkerStarted():
                self._startup_message = frame
            case WorkerProcesses():
                self._processes = frame
            case StartupFailed():
                self._abort_start(frame.text)
        return None

    def _read_pending_messages(self) -> None:
        """Read what the guard has told without being asked, unless an answer is waited for."""
        if self._is_busy or not self._lock.acquire(blocking=False):
            return
        try:
            with contextlib.suppress(TimeoutError, EOFError, OSError, ValueError):
                while self._is_alive:
                    self._handle_message(self._replies.get(0))
        finally:
            self._lock.release()

    def _abort_start(self, why: str) -> None:
        self._process.kill()
        last = self._pipes[2].read().decode(errors="replace").strip().splitlines()[-1:]
        self.close()
        raise KernelError(f"{self._engine_name} cannot be started: {': '.join([why, *last])}")

    def _build_result(
        self, reply: JobReply, limits: EvaluationLimits, code: str
    ) -> EvaluationResult:
        answer = reply.answer
        return EvaluationResult(
            answer.status,
            answer.result,
            tuple(self._build_outputs(reply, code)),
            answer.seconds,
            answer.peak_bytes,
            " ".join(_format_notes(reply, limits)),
        )

    def _build_outputs(self, reply: JobReply, code: str) -> list[EvaluationOutput]:
        found: list[EvaluationOutput] = []
        for piece in reply.pieces:
            if isinstance(piece, bytes):
                text = piece.decode(errors="replace")
                found += self._parse_printed(text, reply.answer.messages, code)
            else:
                found.append(EvaluationOutput(piece.kind, piece.text, piece.data, piece.mime))
        return found


def _get_pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    """The pipes that were asked for."""
    if process.stdin is None or process.stdout is None or process.stderr is None:
        raise TypeError("a worker is started with three pipes")
    return process.stdin, process.stdout, process.stderr


_KERNEL_ENDED_NOTE = "The kernel has ended."
_STATE_KEPT_NOTE = "What it had done until then could not be taken back, and stays"


def _format_notes(reply: JobReply, limits: EvaluationLimits) -> list[str]:
    notes = []
    if reply.dropped:
        size = limits.output_bytes
        notes.append(f"{reply.dropped} bytes of output beyond the limit of {size} were dropped.")
    if reply.was_replaced and (reply.is_rolled_back or reply.answer.status in _COMPLETED_STATUSES):
        notes.append(
            "A process of the kernel was killed from outside and has been replaced; "
            "its definitions are kept."
        )
    if reply.answer.status not in _COMPLETED_STATUSES:
        notes.append(_describe_status(reply.answer, limits))
        kept = f"{_STATE_KEPT_NOTE}, because {reply.why_kept}."
        notes.append(
            ROLLED_BACK_NOTE
            if reply.is_rolled_back
            else kept
            if reply.why_kept
            else _KERNEL_ENDED_NOTE
        )
    return notes


def _describe_status(answer: JobResult, limits: EvaluationLimits) -> str:
    match answer.status:
        case "timed-out":
            return f"The evaluation took longer than {limits.user_time_limit:g} s and was stopped."
        case "out-of-memory":
            size = limits.memory_bytes / (1 << 20)
            return f"The evaluation wanted more memory than {size:.0f} MiB and was stopped."
        case "quit":
            return f"The code ended the kernel with exit code {answer.detail or 0}."
        case "cancelled":
            return "The evaluation was cancelled."
    return f"The kernel crashed{f' ({answer.detail})' if answer.detail else ''}."
