"""Programs of others that tools start, such as a test run: with limits, and without leftovers.

Each has a guard beside it, which ends all that the program started, also when this process is gone.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from paddock.kernels import confinement
from paddock.kernels.kernel import KernelError
from paddock.kernels.worker.orphans import MARK

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Self

_PROGRAM = """\
import sys
sys.path.append(sys.argv.pop())
from paddock.kernels.worker.{module} import {function}
{function}()
"""
_SOURCES = Path(__file__).parents[2]
_CHUNK = 1 << 16
_KEPT_HEAD, _KEPT_TAIL = 1 << 14, 1 << 16
_END_SECONDS = 10.0
_NOT_STARTED = "not-started"


class Ended(NamedTuple):
    """How a program ended."""

    code: int | None
    """Its exit code, negative for a signal; None if it was ended, or could not be watched."""
    cause: str = ""
    """`stopped`, `memory`, `not-started`, or `lost` if its guard was killed."""


class GuardedProgram:
    """A program with its guard; close it, and nothing of it is left."""

    def __init__(
        self,
        command: Sequence[str],
        directory: Path,
        *,
        variables: Mapping[str, str] | None = None,
        network: bool = False,
        memory_bytes: int | None = None,
    ) -> None:
        """Start it.

        Raises:
            KernelError: when there is no process for its guard.
        """
        if sys.platform == "win32":
            raise KernelError(
                "Windows has no guard for what a program starts",
                hint="run this server on Linux or macOS, or in WSL",
            )
        self._mark = secrets.token_hex(8)
        settings = {
            "command": [*confinement.command_prefix(network=network), *command],
            "directory": str(directory),
            "network": network,
            "memory_bytes": memory_bytes,
        }
        environment = confinement.environment() | dict(variables or {}) | {MARK: self._mark}
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
                [*_python("guarding", "main"), json.dumps(settings), str(_SOURCES)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,
                bufsize=0,
            )
        except OSError as error:
            raise KernelError(f"{command[0]} cannot be started: {error}") from None
        self._head = b""
        self._tail = b""
        self.printed_bytes = 0
        self._readers = [
            threading.Thread(target=self._read_output, name="paddock-guarded", daemon=True),
            threading.Thread(target=self._read_end, name="paddock-guarded-end", daemon=True),
        ]
        self._told = b""
        self._fault = ""
        self._has_ended = threading.Event()
        for reader in self._readers:
            reader.start()

    def wait(self, seconds: float) -> Ended | None:
        """How it ended; None if it goes on for so many seconds.

        Raises:
            KernelError: when it could not be started.
        """
        if not self._has_ended.wait(seconds):
            return None
        ended = self._ended()
        if ended.cause == _NOT_STARTED:
            raise KernelError(f"The program cannot be started: {self._fault}")
        return ended

    def stop(self) -> Ended:
        """End it and all that it started."""
        stdin = self._process.stdin
        if stdin is not None and not stdin.closed:
            stdin.close()
        if not self._has_ended.wait(_END_SECONDS):
            self._process.kill()
            self._has_ended.wait(_END_SECONDS)
        return self._ended()

    def close(self) -> None:
        """End it, and let go of what belongs to it."""
        ended = self.stop()
        self._process.wait()
        if ended.cause == "lost":
            self._end_marked()
        for reader in self._readers:
            reader.join(_END_SECONDS)
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def output(self) -> str:
        """What it printed: the beginning and the end of it, if it is much."""
        head, tail = self._head, self._tail[-_KEPT_TAIL:]
        left_out = self.printed_bytes - len(head) - len(tail)
        between = f"\n... [{left_out} bytes left out] ...\n".encode() if left_out > 0 else b""
        return (head + between + tail).decode("utf-8", "replace")

    def _read_output(self) -> None:
        for data in _chunks(self._process.stdout):
            self.printed_bytes += len(data)
            room = _KEPT_HEAD - len(self._head)
            self._head += data[:room]
            self._tail += data[room:]
            if len(self._tail) > 2 * _KEPT_TAIL:
                self._tail = self._tail[-_KEPT_TAIL:]

    def _read_end(self) -> None:
        for data in _chunks(self._process.stderr):
            self._told += data
        self._has_ended.set()

    def _ended(self) -> Ended:
        try:
            told = json.loads(self._told)
        except ValueError:
            return Ended(None, "lost")
        self._fault = str(told.get("fault", ""))
        return Ended(told.get("code"), told.get("cause", ""))

    def _end_marked(self) -> None:
        """End what is left when something has killed the guard: it is known by its mark."""
        subprocess.run(  # noqa: S603 - our own interpreter
            [*_python("orphans", "end_kernel"), str(_SOURCES)],
            env=confinement.environment() | {MARK: self._mark},
            start_new_session=True,
            timeout=_END_SECONDS,
            check=False,
        )


def _python(module: str, function: str) -> list[str]:
    program = _PROGRAM.format(module=module, function=function)
    return [sys.executable, "-I", "-S", "-c", program]


def _chunks(pipe: IO[bytes] | None) -> Iterator[bytes]:
    """What comes out of a pipe, until it is closed at the other end."""
    assert pipe is not None  # noqa: S101 - each was asked for
    while data := os.read(pipe.fileno(), _CHUNK):
        yield data
