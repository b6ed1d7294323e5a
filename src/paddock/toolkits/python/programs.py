"""Programs that say something about a project and run nothing of it: ruff, ty and their like."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from paddock.authoring.failures import ToolError
from paddock.kernels import confinement

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_TICK = 0.02
_MOST_ERRORS = 20_000


class ProgramError(ToolError):
    """A program that a tool needs does not start, or takes too long."""

    code = "program"


class Finished(NamedTuple):
    """What came of a program."""

    code: int
    output: bytes
    errors: str
    is_cut: bool
    """Whether it said more than was wanted."""


def find_program(name: str, *, place: Path | None = None) -> str | None:
    """A program of our own environment, of another one, or on the search path; none if missing."""
    folders = [Path(sys.executable).parent, *([place] if place else [])]
    for folder in folders:
        found = shutil.which(name, path=str(folder))
        if found:
            return found
    return shutil.which(name)


def run_program(
    command: Sequence[str],
    directory: Path,
    *,
    seconds: float,
    most_bytes: int,
    is_cancelled: Callable[[], bool],
    given: bytes = b"",
) -> Finished:
    """Run a program to its end, and take what it says.

    Raises:
        ProgramError: when it does not start, or takes too long.
    """
    with tempfile.TemporaryFile() as errors, tempfile.TemporaryFile() as source:
        source.write(given)
        source.seek(0)
        try:
            process = subprocess.Popen(  # noqa: S603 - we have looked for it ourselves
                command,
                cwd=directory,
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=errors,
                env=confinement.environment() | {"NO_COLOR": "1"},
            )
        except OSError as error:
            raise ProgramError(f"{command[0]} does not start: {error.strerror}") from None
        reader = _Reader(process, most_bytes)
        deadline = time.monotonic() + seconds
        try:
            while not reader.has_ended.wait(_TICK):
                if is_cancelled() or time.monotonic() > deadline:
                    break
            else:
                process.wait(max(_TICK, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            pass
        is_late = process.poll() is None and not reader.is_cut
        process.kill()
        code = process.wait()
        reader.join()
        if is_late and not is_cancelled():
            raise ProgramError(f"{Path(command[0]).name} took longer than {seconds:g} s")
        errors.seek(0)
        told = errors.read(_MOST_ERRORS).decode("utf-8", "replace")
        return Finished(code, reader.output, told.strip(), reader.is_cut)


class _Reader:
    """Takes what a process says, up to a limit."""

    def __init__(self, process: subprocess.Popen[bytes], most_bytes: int) -> None:
        self._process = process
        self._most_bytes = most_bytes
        self._parts: list[bytes] = []
        self.is_cut = False
        self.has_ended = threading.Event()
        self._thread = threading.Thread(target=self._read, name="paddock-program", daemon=True)
        self._thread.start()

    @property
    def output(self) -> bytes:
        return b"".join(self._parts)

    def join(self) -> None:
        self._thread.join()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _read(self) -> None:
        left = self._most_bytes
        stdout = self._process.stdout
        while stdout is not None and (data := os.read(stdout.fileno(), 1 << 16)):
            self._parts.append(data[:left])
            if len(data) > left:
                self.is_cut = True
                break
            left -= len(data)
        self.has_ended.set()
