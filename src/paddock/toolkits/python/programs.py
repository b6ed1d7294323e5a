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

_POLL_SECONDS = 0.02
_MAX_ERROR_BYTES = 20_000


class ProgramError(ToolError):
    """A program that a tool needs does not start, or takes too long."""

    code = "program"


class ProgramResult(NamedTuple):
    """What came of a program."""

    exit_code: int
    output: bytes
    errors: str
    is_truncated: bool
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
) -> ProgramResult:
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
                env=confinement.build_environment() | {"NO_COLOR": "1"},
            )
        except OSError as error:
            raise ProgramError(f"{command[0]} does not start: {error.strerror}") from None
        reader = _OutputReader(process, most_bytes)
        deadline = time.monotonic() + seconds
        try:
            while not reader.end_event.wait(_POLL_SECONDS):
                if is_cancelled() or time.monotonic() > deadline:
                    break
            else:
                process.wait(max(_POLL_SECONDS, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            pass
        is_late = process.poll() is None and not reader.is_truncated
        process.kill()
        code = process.wait()
        reader.join()
        if is_late and not is_cancelled():
            raise ProgramError(f"{Path(command[0]).name} took longer than {seconds:g} s")
        errors.seek(0)
        told = errors.read(_MAX_ERROR_BYTES).decode("utf-8", "replace")
        return ProgramResult(code, reader.output, told.strip(), reader.is_truncated)


class _OutputReader:
    """Takes what a process says, up to a limit."""

    def __init__(self, process: subprocess.Popen[bytes], most_bytes: int) -> None:
        self._process = process
        self._max_bytes = most_bytes
        self._chunks: list[bytes] = []
        self.is_truncated = False
        self.end_event = threading.Event()
        self._thread = threading.Thread(target=self._read_output, name="paddock-program", daemon=True)
        self._thread.start()

    @property
    def output(self) -> bytes:
        return b"".join(self._chunks)

    def join(self) -> None:
        self._thread.join()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _read_output(self) -> None:
        left = self._max_bytes
        stdout = self._process.stdout
        while stdout is not None and (data := os.read(stdout.fileno(), 1 << 16)):
            self._chunks.append(data[:left])
            if len(data) > left:
                self.is_truncated = True
                break
            left -= len(data)
        self.end_event.set()
