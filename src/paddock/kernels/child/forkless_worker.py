"""Worker in a single process, for systems that cannot fork.

There is no checkpoint. If an evaluation must be stopped and the engine ignores the interrupt, the
worker reports that and ends. The session then replays its journal in a new kernel.
"""

from __future__ import annotations

import _thread
import contextlib
import os
import queue
import secrets
import threading
import time
from typing import TYPE_CHECKING, NoReturn

from paddock.kernels.child.job_runner import run_job
from paddock.kernels.child.output_capture import OutputCapture, claim_standard_streams
from paddock.kernels.child.plain_frames import PlainFrame, PlainFrameReader, send_frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.kernels.child.job_runner import LanguageInterpreter

_INTERRUPT_GRACE_SECONDS = 3.0  # as in `kernels.worker.supervisor`
_READ_CHUNK_BYTES = 1 << 16


def run_forkless(
    make_interpreter: Callable[[], LanguageInterpreter], restrictions: list[str]
) -> NoReturn:
    """Load the engine, then process requests from standard input until the server closes it.

    Args:
        make_interpreter: Function that loads the engine.
        restrictions: Names of the sandbox restrictions, which are only reported to the server for
            diagnostics.
    """
    requests, replies, output = claim_standard_streams()
    try:
        interpreter = make_interpreter()
    except BaseException as error:  # any failure is reported to the server
        send_frame(replies, PlainFrame("startup-failed", text=f"{type(error).__name__}: {error}"))
        os._exit(1)
    send_frame(
        replies,
        PlainFrame(
            "started",
            supervisor_pid=os.getpid(),
            engine_version=interpreter.version,
            restrictions=restrictions,
        ),
    )
    _ForklessWorker(interpreter, replies, output).run(requests)


class _ForklessWorker:
    """The worker's job loop.

    The main thread evaluates. Other threads read requests and output.
    """

    def __init__(self, interpreter: LanguageInterpreter, replies: int, output: int) -> None:
        self._interpreter = interpreter
        self._replies = replies
        self._output = _PrintedOutput(output)
        self._jobs: queue.SimpleQueue[PlainFrame] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._stop_cause: str | None = None
        self._is_running = False

    def run(self, requests: int) -> NoReturn:
        """Run jobs until the process ends."""
        threading.Thread(target=self._read_requests, args=(requests,), daemon=True).start()
        while True:
            with contextlib.suppress(KeyboardInterrupt):  # arrived after its job had ended
                self._run_job(self._jobs.get())

    def _run_job(self, job: PlainFrame) -> None:
        """Run one job in the main thread, stopping it at its time limit, and send its result.

        If a job was stopped, the process ends. Without a checkpoint, the changes that the job made
        to the session cannot be rolled back.
        """
        self._output.reset(job.output_bytes if job.type == "evaluate" else _READ_CHUNK_BYTES)
        self._is_running = True
        timer = threading.Timer(
            min(job.seconds, threading.TIMEOUT_MAX), self._stop_job, ("timed-out",)
        )
        timer.start()
        result = run_job(self._interpreter, job, self._output.add_output, contextlib.nullcontext())
        timer.cancel()
        with self._lock:
            self._is_running = False
            if self._stop_cause is not None:
                result.status, self._stop_cause = self._stop_cause, None
            self._send_reply(result)
        if result.status not in {"done", "failed"}:
            os._exit(0)

    def _send_reply(self, result: PlainFrame) -> None:
        pieces, dropped = self._output.take_outputs()
        reply = PlainFrame("reply", result=result, pieces=pieces, dropped_bytes=dropped)
        send_frame(self._replies, reply)

    def _read_requests(self, requests: int) -> None:
        """Queue jobs and react to cancellations until the server closes the connection.

        Runs in its own thread, because the main thread runs the jobs.
        """
        stream = PlainFrameReader(requests)
        try:
            while True:
                request = stream.read_frame()
                if request.type == "cancel":
                    # `_stop_job` waits for the engine. It gets its own thread so that this one can
                    # read more requests.
                    threading.Thread(target=self._stop_job, args=("cancelled",)).start()
                else:
                    self._jobs.put(request)
        except (EOFError, OSError, ValueError):
            os._exit(0)

    def _stop_job(self, cause: str) -> None:
        """Interrupt the running job, or end the process if the engine ignores the interrupt.

        Called in the timer's thread when the job exceeds its time limit, and in a new thread when
        the server cancels the job.

        Args:
            cause: The status for the job's result: `timed-out` or `cancelled`.
        """
        with self._lock:
            if not self._is_running or self._stop_cause is not None:
                return
            self._stop_cause = cause
        if self._interpreter.is_interruptible:
            # The engine runs in the main thread, the only one that receives an interrupt.
            _thread.interrupt_main()
            deadline = time.monotonic() + _INTERRUPT_GRACE_SECONDS
            while self._is_running and time.monotonic() < deadline:
                time.sleep(0.01)
        with self._lock:
            if self._is_running:
                self._send_reply(PlainFrame("result", status=cause))
                os._exit(0)


class _PrintedOutput:
    """Output collected by a thread, because pipes cannot be polled on all systems."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._capture = OutputCapture(handle)
        self._lock = threading.Lock()
        self._marker = b""
        self._partial_marker = b""
        self._has_marker = threading.Event()
        threading.Thread(target=self._read_output, daemon=True).start()

    def reset(self, limit: int) -> None:
        """Discard all output, and set the limit in bytes."""
        self.take_outputs()
        self._capture.limit_bytes = limit

    def add_output(self, output: PlainFrame) -> None:
        """Add an output other than printed text."""
        with self._lock:
            self._capture.add_output(output)

    def take_outputs(self) -> tuple[list[bytes | PlainFrame], int]:
        """Return all output since the last call and the number of dropped bytes."""
        self._drain_pipe()
        with self._lock:
            return self._capture.take_outputs()

    def _drain_pipe(self) -> None:
        """Wait until the reader thread has captured all text printed so far.

        This writes a random marker to the pipe. When the reader thread sees the marker, it has
        captured all earlier text.
        """
        marker = b"\0" + secrets.token_hex(16).encode() + b"\0"
        with self._lock:
            self._marker = marker
            self._has_marker.clear()
        os.write(1, marker)
        self._has_marker.wait(_INTERRUPT_GRACE_SECONDS)

    def _read_output(self) -> None:
        """Append all printed text to the capture, without the marker from `_drain_pipe`.

        Runs in its own thread for the lifetime of the process. The marker may be split across two
        chunks. If a chunk ends with the beginning of the marker, that part is kept in
        `_partial_marker` until the next chunk arrives.
        """
        while chunk := os.read(self._handle, _READ_CHUNK_BYTES):
            with self._lock:
                text = self._partial_marker + chunk
                self._partial_marker = b""
                if self._marker and self._marker in text:
                    before, _, after = text.partition(self._marker)
                    text = before + after
                    self._marker = b""
                    self._has_marker.set()
                elif self._marker:
                    text, self._partial_marker = _split_partial_marker(text, self._marker)
                self._capture.append_text(text)


def _split_partial_marker(text: bytes, mark: bytes) -> tuple[bytes, bytes]:
    """Split off the end of the text if it may be the beginning of the marker."""
    for size in range(len(mark) - 1, 0, -1):
        if text.endswith(mark[:size]):
            return text[:-size], text[-size:]
    return text, b""
