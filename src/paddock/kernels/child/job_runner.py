"""Execution of single jobs by an engine, and the interface that engines implement.

An engine's module has a function `interpreter()` that returns a `LanguageInterpreter`. It is called
once, in the process from which the active processes are forked. If the interpreter has a `warm`
method, each active process calls it before waiting for a job: a fork copies memory pages when they
are first written, which is better done while no user is waiting. Compatible with Python 3.8.
"""

from __future__ import annotations

import os
import sys
import time

if sys.platform != "win32":
    import resource

from paddock.kernels.child.plain_frames import PlainFrame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from typing import Protocol

    FrameSender = Callable[["PlainFrame"], None]


class ImageValue:
    """An image produced by code."""

    def __init__(self, data: bytes, mime: str) -> None:
        self.data = data
        self.mime = mime


class EvaluatedValue:
    """Result of an evaluation, as returned by the engine.

    Attributes:
        text: Text of the value, or None if the code has no value.
        messages: Lines of the printed output that are warnings or errors from the engine.
        is_failure: Whether the code failed.
    """

    def __init__(
        self, text: str | None, messages: tuple[str, ...] = (), is_failure: bool = False
    ) -> None:
        self.text = text
        self.messages = messages
        self.is_failure = is_failure


if TYPE_CHECKING:

    class LanguageInterpreter(Protocol):
        """An engine within an evaluator process."""

        @property
        def version(self) -> str:
            """The version of the engine."""
            ...

        @property
        def is_interruptible(self) -> bool:
            """Whether SIGINT makes the engine raise KeyboardInterrupt soon."""
            ...

        def evaluate(self, code: str, emit: Callable[[str | ImageValue], None]) -> EvaluatedValue:
            """Evaluate code; printed text goes to the standard streams.

            `emit` adds a message (a string) or an image at the current position of the printed
            output. SystemExit, or the end of the process, counts as quitting the kernel.
            """
            ...

        def dump_state(self) -> bytes | None:
            """Return all definitions, or None if the engine cannot save them."""
            ...

        def restore(self, state: bytes) -> str | None:
            """Load definitions that `dump_state` returned elsewhere; describe what is missing."""
            ...


def load_interpreter(module: str) -> LanguageInterpreter:
    """Import an engine's module and return its interpreter."""
    __import__(module)
    engine: LanguageInterpreter = sys.modules[module].interpreter()
    return engine


def run_job(
    interpreter: LanguageInterpreter,
    job: PlainFrame,
    send: FrameSender,
    limits: AbstractContextManager[None],
) -> PlainFrame:
    """Run a job, such as evaluating code, and return the frame with its result.

    Exceptions are not raised, because they must not end the process. The result's status reports
    them: `failed`, `cancelled`, `out-of-memory`, or `quit` if the code called `exit`.

    Args:
        interpreter: The engine that runs the job.
        job: The frame that describes the job.
        send: Function that sends images and messages to the supervisor during the job.
        limits: Context manager that limits memory and time while the engine runs.
    """
    started_at = time.monotonic()
    process = os.getpid()
    try:
        with limits:
            result = _execute_job(interpreter, job, send)
    except SystemExit as end:
        result = _build_result_frame("quit", str(end.code or 0))
    except KeyboardInterrupt:
        result = _build_result_frame("cancelled")
    except MemoryError:
        result = _build_result_frame("out-of-memory")
    except Exception as error:  # an engine error must not end the process
        send(_build_output_frame("message", text=f"{type(error).__name__}: {error}"))
        result = _build_result_frame("failed")
    _flush_streams()
    if os.getpid() != process:
        # User code has forked this process, and the fork has returned to this point. Only the
        # original process may reply.
        os._exit(0 if result.status == "done" else 1)
    result.seconds = time.monotonic() - started_at
    result.peak_bytes = _get_peak_bytes()
    return result


def _execute_job(
    interpreter: LanguageInterpreter, job: PlainFrame, send: FrameSender
) -> PlainFrame:
    """Call the engine's method for a job and return the frame with the result.

    A job evaluates code (type `evaluate`), restores a session's saved state (`restore`), or returns
    the session's state so that it can be saved.
    """
    if job.type == "evaluate":
        return _build_value_frame(
            interpreter.evaluate(job.code, _make_emitter(send)), job.result_bytes
        )
    if job.type == "restore":
        return _build_result_frame("done", interpreter.restore(job.state) or "")
    result = _build_result_frame("done")
    result.state = interpreter.dump_state()
    return result


def _build_result_frame(status: str, detail: str = "") -> PlainFrame:
    return PlainFrame("result", status=status, detail=detail)


def _build_value_frame(value: EvaluatedValue, limit: int) -> PlainFrame:
    """Return the result frame of an evaluation.

    If the text of the value is longer than the limit, its middle is replaced by an ellipsis.

    Args:
        value: The result of the evaluation.
        limit: Maximum length of the text.
    """
    text = value.text
    if text is not None and len(text) > limit:
        half = limit // 2
        text = f"{text[:half]} ... {text[-half:]}"
    result = _build_result_frame("failed" if value.is_failure else "done")
    result.result = text
    result.messages = list(value.messages)
    return result


def _make_emitter(send: FrameSender) -> Callable[[str | ImageValue], None]:
    """Return a function that the engine calls to emit messages and images during a job."""
    process = os.getpid()

    def emit(output: str | ImageValue) -> None:
        """Send an output, and print a marker that shows its position in the printed text."""
        if os.getpid() != process:  # a process forked by user code must not send frames
            return
        _flush_streams()
        # Frames and printed text use different pipes, so their order would be lost. The supervisor
        # inserts the output where it finds the marker in the printed text.
        marker = b"\0" + os.urandom(16) + b"\0"
        os.write(1, marker)
        if isinstance(output, ImageValue):
            send(_build_output_frame("picture", data=output.data, mime=output.mime, mark=marker))
        else:
            send(_build_output_frame("message", text=output, mark=marker))

    return emit


def _build_output_frame(
    kind: str, text: str = "", data: bytes = b"", mime: str = "", mark: bytes = b""
) -> PlainFrame:
    return PlainFrame("output", kind=kind, text=text, data=data, mime=mime, mark=mark)


def _flush_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass


def _get_peak_bytes() -> int:
    """Return the peak memory usage of this process, or 0 if it is unknown."""
    if sys.platform == "win32":
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
