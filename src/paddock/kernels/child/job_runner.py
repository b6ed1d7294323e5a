"""What a worker wants of an engine: a small interface that each engine's module implements.

A module in `paddock.kernels.child.python` has a function `interpreter() -> Interpreter`, which is
called once, in a process that the active ones are forked from. If an engine has a method `warm`,
each of these calls it before it waits for a job: memory that a fork shares is copied when it is
touched, and nobody waits for it then. Python 3.8 can read this module.

What a process makes of one job, with whatever may go wrong in the engine.

Python 3.8 can read this module.
"""

from __future__ import annotations

import os
import sys
import time

from paddock.kernels.child.plain_frames import PlainFrame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol


class ImageValue:
    """A picture that code made."""

    def __init__(self, data: bytes, mime: str) -> None:
        self.data = data
        self.mime = mime


class EvaluatedValue:
    """What an engine made of some code.

    `text` is the value's text, or None when there is none; `messages` are texts that the engine has
    printed and that are messages, each as it was printed; `is_failure` is whether the engine
    refused the code.
    """

    def __init__(
        self, text: str | None, messages: tuple[str, ...] = (), is_failure: bool = False
    ) -> None:
        self.text = text
        self.messages = messages
        self.is_failure = is_failure


if TYPE_CHECKING:

    class LanguageInterpreter(Protocol):
        """An engine in a process of its own."""

        @property
        def version(self) -> str:
            """The engine's version."""
            ...

        @property
        def is_interruptible(self) -> bool:
            """Whether SIGINT ends an evaluation soon; it then raises KeyboardInterrupt."""
            ...

        def evaluate(self, code: str, emit: Callable[[str | ImageValue], None]) -> EvaluatedValue:
            """Evaluate code. What is printed goes to the standard streams.

            `emit` puts a message (a string) or a picture in its place among what is printed. To end
            the process, raise SystemExit or really end it; both are taken back.
            """
            ...

        def state(self) -> bytes | None:
            """All definitions, or None when the engine cannot tell them."""
            ...

        def restore(self, state: bytes) -> str | None:
            """Take over what `state` gave in another process; say what of it is missing."""
            ...


if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    FrameSender = Callable[[PlainFrame], None]


def run_job(
    interpreter: LanguageInterpreter,
    job: PlainFrame,
    tell: FrameSender,
    limits: AbstractContextManager[None],
) -> PlainFrame:
    """Have the engine do a job; `tell` takes what is told before it is done."""
    begun = time.monotonic()
    process = os.getpid()
    try:
        with limits:
            found = _execute_job(interpreter, job, tell)
    except SystemExit as end:
        found = _build_result_frame("quit", str(end.code or 0))
    except KeyboardInterrupt:
        found = _build_result_frame("cancelled")
    except MemoryError:
        found = _build_result_frame("out-of-memory")
    except Exception as error:  # noqa: BLE001 - a fault of the engine is told, not fatal
        tell(_build_output_frame("message", text=f"{type(error).__name__}: {error}"))
        found = _build_result_frame("failed")
    _flush_streams()
    if os.getpid() != process:  # the code has forked, and this is not the one that is waited for
        os._exit(0 if found.status == "done" else 1)
    found.seconds = time.monotonic() - begun
    found.peak_bytes = _get_peak_bytes()
    return found


def _execute_job(
    interpreter: LanguageInterpreter, job: PlainFrame, tell: FrameSender
) -> PlainFrame:
    if job.type == "evaluate":
        return _build_value_frame(
            interpreter.evaluate(job.code, _make_emitter(tell)), job.result_bytes
        )
    if job.type == "restore":
        return _build_result_frame("done", interpreter.restore(job.state) or "")
    found = _build_result_frame("done")
    found.state = interpreter.state()
    return found


def _build_result_frame(status: str, detail: str = "") -> PlainFrame:
    return PlainFrame("answer", status=status, detail=detail)


def _build_value_frame(value: EvaluatedValue, limit: int) -> PlainFrame:
    text = value.text
    if text is not None and len(text) > limit:
        half = limit // 2
        text = f"{text[:half]} ... {text[-half:]}"
    found = _build_result_frame("failed" if value.is_failure else "done")
    found.result = text
    found.messages = list(value.messages)
    return found


def _make_emitter(tell: FrameSender) -> Callable[[str | ImageValue], None]:
    process = os.getpid()

    def emit(found: str | ImageValue) -> None:
        if os.getpid() != process:
            return
        _flush_streams()
        mark = b"\0" + os.urandom(16) + b"\0"
        os.write(1, mark)
        if isinstance(found, ImageValue):
            tell(_build_output_frame("picture", data=found.data, mime=found.mime, mark=mark))
        else:
            tell(_build_output_frame("message", text=found, mark=mark))

    return emit


def _build_output_frame(
    kind: str, text: str = "", data: bytes = b"", mime: str = "", mark: bytes = b""
) -> PlainFrame:
    return PlainFrame("emitted", kind=kind, text=text, data=data, mime=mime, mark=mark)


def _flush_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:  # noqa: SIM105 - contextlib takes time, and code may have left anything there
            stream.flush()
        except Exception:  # noqa: BLE001, S110 - see above
            pass


def _get_peak_bytes() -> int:
    """The most memory that this process had; 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0
    import resource  # noqa: PLC0415 - Windows has no such module

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
