"""A worker without other processes, for systems that cannot fork.

There is no state to go back to: when an evaluation has to be stopped and the engine does not heed
an interrupt, the worker tells so and ends. Its session then repeats the journal in another one.
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

from paddock.kernels.worker.answering import answer
from paddock.kernels.worker.capture import Capture
from paddock.kernels.worker.plain_frames import Frame, Stream, send

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.kernels.worker.interpreter import Interpreter

_INTERRUPT_SECONDS = 1.0
_CHUNK = 1 << 16


def be_alone(
    make: Callable[[], Interpreter], requests: int, replies: int, output: int, kept: list[str]
) -> NoReturn:
    """Be a kernel in one process."""
    try:
        interpreter = make()
    except BaseException as error:  # noqa: BLE001 - whatever it is, the server is told
        send(replies, Frame("fault", text=f"{type(error).__name__}: {error}"))
        os._exit(1)
    send(
        replies,
        Frame(
            "started",
            guard=os.getpid(),
            engine_version=interpreter.version,
            confinement=kept,
        ),
    )
    _Alone(interpreter, replies, output).run(requests)


class _Alone:
    """The three threads of such a worker: this one evaluates, one listens, one collects."""

    def __init__(self, interpreter: Interpreter, replies: int, output: int) -> None:
        self._interpreter = interpreter
        self._replies = replies
        self._printed = _Printed(output)
        self._jobs: queue.SimpleQueue[Frame] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._cause: str | None = None
        self._is_running = False

    def run(self, requests: int) -> NoReturn:
        """Do one job after another."""
        threading.Thread(target=self._listen, args=(requests,), daemon=True).start()
        while True:
            with contextlib.suppress(KeyboardInterrupt):  # one that came too late
                self._do(self._jobs.get())

    def _do(self, job: Frame) -> None:
        self._printed.begin(job.output_bytes if job.type == "evaluate" else _CHUNK)
        self._is_running = True
        timer = threading.Timer(min(job.seconds, threading.TIMEOUT_MAX), self._stop, ("timed-out",))
        timer.start()
        found = answer(self._interpreter, job, self._printed.add, contextlib.nullcontext())
        timer.cancel()
        with self._lock:
            self._is_running = False
            if self._cause is not None:
                found.status, self._cause = self._cause, None
            self._reply(found)
        if found.status not in {"done", "failed"}:
            os._exit(0)

    def _reply(self, found: Frame) -> None:
        pieces, dropped = self._printed.take()
        send(self._replies, Frame("reply", answer=found, pieces=pieces, dropped=dropped))

    def _listen(self, requests: int) -> None:
        stream = Stream(requests)
        try:
            while True:
                request = stream.read_one()
                if request.type == "cancel":
                    threading.Thread(target=self._stop, args=("cancelled",)).start()
                else:
                    self._jobs.put(request)
        except (EOFError, OSError, ValueError):
            os._exit(0)

    def _stop(self, cause: str) -> None:
        with self._lock:
            if not self._is_running or self._cause is not None:
                return
            self._cause = cause
        if self._interpreter.is_interruptible:
            _thread.interrupt_main()
            end = time.monotonic() + _INTERRUPT_SECONDS
            while self._is_running and time.monotonic() < end:
                time.sleep(0.01)
        with self._lock:
            if self._is_running:
                self._reply(Frame("answer", status=cause))
                os._exit(0)


class _Printed:
    """What is printed, collected by a thread, because pipes cannot be polled everywhere."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._capture = Capture(handle)
        self._lock = threading.Lock()
        self._mark = b""
        self._tail = b""
        self._is_marked = threading.Event()
        threading.Thread(target=self._collect, daemon=True).start()

    def begin(self, limit: int) -> None:
        """Forget what was printed before."""
        self.take()
        self._capture.limit = limit

    def add(self, output: Frame) -> None:
        """Take another output."""
        with self._lock:
            self._capture.add(output)

    def take(self) -> tuple[list[bytes | Frame], int]:
        """All that was printed until now."""
        self._await_all()
        with self._lock:
            return self._capture.take()

    def _await_all(self) -> None:
        """Wait until the other thread has read what is in the pipe."""
        mark = b"\0" + secrets.token_hex(16).encode() + b"\0"
        with self._lock:
            self._mark = mark
            self._is_marked.clear()
        os.write(1, mark)
        self._is_marked.wait(_INTERRUPT_SECONDS)

    def _collect(self) -> None:
        while chunk := os.read(self._handle, _CHUNK):
            with self._lock:
                text = self._tail + chunk
                self._tail = b""
                if self._mark and self._mark in text:
                    before, _, after = text.partition(self._mark)
                    text = before + after
                    self._mark = b""
                    self._is_marked.set()
                elif self._mark:
                    text, self._tail = _without_part(text, self._mark)
                self._capture.keep(text)


def _without_part(text: bytes, mark: bytes) -> tuple[bytes, bytes]:
    """Text, and what may be the beginning of a mark at its end."""
    for size in range(len(mark) - 1, 0, -1):
        if text.endswith(mark[:size]):
            return text[:-size], text[-size:]
    return text, b""
