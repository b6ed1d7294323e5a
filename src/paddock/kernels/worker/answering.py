"""What a process makes of one job, with whatever may go wrong in the engine."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from typing import TYPE_CHECKING

from paddock.kernels.worker.frames import Answer, Emitted, Evaluate, Job, Restore
from paddock.kernels.worker.interpreter import Picture

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from paddock.kernels.worker.interpreter import Interpreter, Value

    Tell = Callable[[Emitted], None]


def answer(
    interpreter: Interpreter, job: Job, tell: Tell, limits: AbstractContextManager[None]
) -> Answer:
    """Have the engine do a job; `tell` takes what is told before it is done."""
    begun = time.monotonic()
    try:
        with limits:
            found = _do(interpreter, job, tell)
    except SystemExit as end:
        found = Answer("quit", detail=str(end.code or 0))
    except KeyboardInterrupt:
        found = Answer("cancelled")
    except MemoryError:
        found = Answer("out-of-memory")
    except Exception as error:  # noqa: BLE001 - a fault of the engine is told, not fatal
        tell(Emitted("message", f"{type(error).__name__}: {error}"))
        found = Answer("failed")
    found.seconds = time.monotonic() - begun
    found.peak_bytes = _peak_bytes()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    return found


def _do(interpreter: Interpreter, job: Job, tell: Tell) -> Answer:
    if isinstance(job, Evaluate):
        return _shown(interpreter.evaluate(job.code, _emitter(tell)), job.result_bytes)
    if isinstance(job, Restore):
        interpreter.restore(job.state)
        return Answer()
    return Answer(state=interpreter.state())


def _shown(value: Value, limit: int) -> Answer:
    text = value.text
    if text is not None and len(text) > limit:
        half = limit // 2
        text = f"{text[:half]} ... {text[-half:]}"
    return Answer("failed" if value.is_failure else "done", text, messages=list(value.messages))


def _emitter(tell: Tell) -> Callable[[str | Picture], None]:
    def emit(found: str | Picture) -> None:
        sys.stdout.flush()
        mark = b"\0" + os.urandom(16) + b"\0"
        os.write(1, mark)
        if isinstance(found, Picture):
            tell(Emitted("picture", data=found.data, mime=found.mime, mark=mark))
        else:
            tell(Emitted("message", found, mark=mark))

    return emit


def _peak_bytes() -> int:
    """The most memory that this process had; 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0
    import resource  # noqa: PLC0415 - Windows has no such module

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
