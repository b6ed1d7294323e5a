"""What a process makes of one job, with whatever may go wrong in the engine.

Python 3.8 can read this module.
"""

from __future__ import annotations

import os
import sys
import time

from paddock.kernels.worker.interpreter import Picture
from paddock.kernels.worker.plain_frames import Frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from paddock.kernels.worker.interpreter import Interpreter, Value

    Tell = Callable[[Frame], None]


def answer(
    interpreter: Interpreter, job: Frame, tell: Tell, limits: AbstractContextManager[None]
) -> Frame:
    """Have the engine do a job; `tell` takes what is told before it is done."""
    begun = time.monotonic()
    process = os.getpid()
    try:
        with limits:
            found = _do(interpreter, job, tell)
    except SystemExit as end:
        found = _ended("quit", str(end.code or 0))
    except KeyboardInterrupt:
        found = _ended("cancelled")
    except MemoryError:
        found = _ended("out-of-memory")
    except Exception as error:  # noqa: BLE001 - a fault of the engine is told, not fatal
        tell(_emitted("message", text=f"{type(error).__name__}: {error}"))
        found = _ended("failed")
    _flush()
    if os.getpid() != process:  # the code has forked, and this is not the one that is waited for
        os._exit(0 if found.status == "done" else 1)
    found.seconds = time.monotonic() - begun
    found.peak_bytes = _peak_bytes()
    return found


def _do(interpreter: Interpreter, job: Frame, tell: Tell) -> Frame:
    if job.type == "evaluate":
        return _shown(interpreter.evaluate(job.code, _emitter(tell)), job.result_bytes)
    if job.type == "restore":
        return _ended("done", interpreter.restore(job.state) or "")
    found = _ended("done")
    found.state = interpreter.state()
    return found


def _ended(status: str, detail: str = "") -> Frame:
    return Frame("answer", status=status, detail=detail)


def _shown(value: Value, limit: int) -> Frame:
    text = value.text
    if text is not None and len(text) > limit:
        half = limit // 2
        text = f"{text[:half]} ... {text[-half:]}"
    found = _ended("failed" if value.is_failure else "done")
    found.result = text
    found.messages = list(value.messages)
    return found


def _emitter(tell: Tell) -> Callable[[str | Picture], None]:
    process = os.getpid()

    def emit(found: str | Picture) -> None:
        if os.getpid() != process:
            return
        _flush()
        mark = b"\0" + os.urandom(16) + b"\0"
        os.write(1, mark)
        if isinstance(found, Picture):
            tell(_emitted("picture", data=found.data, mime=found.mime, mark=mark))
        else:
            tell(_emitted("message", text=found, mark=mark))

    return emit


def _emitted(
    kind: str, text: str = "", data: bytes = b"", mime: str = "", mark: bytes = b""
) -> Frame:
    return Frame("emitted", kind=kind, text=text, data=data, mime=mime, mark=mark)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:  # noqa: SIM105 - contextlib takes time, and code may have left anything there
            stream.flush()
        except Exception:  # noqa: BLE001, S110 - see above
            pass


def _peak_bytes() -> int:
    """The most memory that this process had; 0 where the system does not tell."""
    if sys.platform == "win32":
        return 0
    import resource  # noqa: PLC0415 - Windows has no such module

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
