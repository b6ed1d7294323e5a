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

from paddock.kernels import sandbox
from paddock.kernels.child.process_tree import KERNEL_ID_VARIABLE
from paddock.kernels.kernel import KernelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType
    from typing import Self

_BOOTSTRAP_CODE = """\
import sys
sys.path.append(sys.argv.pop())
from paddock.kernels.{module} import {function}
{function}()
"""
_SOURCE_ROOT = Path(__file__).parents[2]
_READ_CHUNK_BYTES = 1 << 16
_MAX_HEAD_BYTES, _MAX_TAIL_BYTES = 1 << 14, 1 << 16
_END_TIMEOUT_SECONDS = 10.0
_NOT_STARTED = "not-started"


class ProgramExit(NamedTuple):
    """How a program ended."""

    code: int | None
    """Its exit code, negative for a signal; None if it was ended, or could not be watched."""
    cause: str = ""
    """`stopped`, `memory`, `not-started`, or `lost` if its guard was killed."""


class SupervisedProgram:
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
        self._kernel_id = secrets.token_hex(8)
        settings = {
            "command": [*sandbox.get_command_prefix(network=network), *command],
            "directory": str(directory),
            "network": network,
            "memory_bytes": memory_bytes,
        }
        environment = (
            sandbox.build_environment()
            | dict(variables or {})
            | {KERNEL_ID_VARIABLE: self._kernel_id}
        )
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own interpreter
                [
                    *_build_command("worker.program_supervisor", "main"),
                    json.dumps(settings),
                    str(_SOURCE_ROOT),
                ],
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
            threading.Thread(
                target=self._read_exit_report, name="paddock-guarded-end", daemon=True
            ),
        ]
        self._exit_report = b""
        self._start_error = ""
        self._has_ended = threading.Event()
        for reader in self._readers:
            reader.start()

    def wait(self, seconds: float) -> ProgramExit | None:
        """How it ended; None if it goes on for so many seconds.

        Raises:
            KernelError: when it could not be started.
        """
        if not self._has_ended.wait(seconds):
            return None
        ended = self._get_exit()
        if ended.cause == _NOT_STARTED:
            raise KernelError(f"The program cannot be started: {self._start_error}")
        return ended

    def stop(self) -> ProgramExit:
        """End it and all that it started."""
        stdin = self._process.stdin
        if stdin is not None and not stdin.closed:
            stdin.close()
        if not self._has_ended.wait(_END_TIMEOUT_SECONDS):
            self._process.kill()
            self._has_ended.wait(_END_TIMEOUT_SECONDS)
        return self._get_exit()

    def close(self) -> None:
        """End it, and let go of what belongs to it."""
        ended = self.stop()
        self._process.wait()
        if ended.cause == "lost":
            self._kill_orphans()
        for reader in self._readers:
            reader.join(_END_TIMEOUT_SECONDS)
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
        head, tail = self._head, self._tail[-_MAX_TAIL_BYTES:]
        left_out = self.printed_bytes - len(head) - len(tail)
        between = f"\n... [{left_out} bytes left out] ...\n".encode() if left_out > 0 else b""
        return (head + between + tail).decode("utf-8", "replace")

    def _read_output(self) -> None:
        for data in _iter_chunks(self._process.stdout):
            self.printed_bytes += len(data)
            room = _MAX_HEAD_BYTES - len(self._head)
            self._head += data[:room]
            self._tail += data[room:]
            if len(self._tail) > 2 * _MAX_TAIL_BYTES:
                self._tail = self._tail[-_MAX_TAIL_BYTES:]

    def _read_exit_report(self) -> None:
        for data in _iter_chunks(self._process.stderr):
            self._exit_report += data
        self._has_ended.set()

    def _get_exit(self) -> ProgramExit:
        try:
            told = json.loads(self._exit_report)
        except ValueError:
            return ProgramExit(None, "lost")
        self._start_error = str(told.get("fault", ""))
        return ProgramExit(told.get("code"), told.get("cause", ""))

    def _kill_orphans(self) -> None:
        """End what is left when something has killed the guard: it is known by its mark."""
        subprocess.run(  # noqa: S603 - our own interpreter
            [*_build_command("child.process_tree", "kill_kernel"), str(_SOURCE_ROOT)],
            env=sandbox.build_environment() | {KERNEL_ID_VARIABLE: self._kernel_id},
            start_new_session=True,
            timeout=_END_TIMEOUT_SECONDS,
            check=False,
        )


def _build_command(module: str, function: str) -> list[str]:
    program = _BOOTSTRAP_CODE.format(module=module, function=function)
    return [sys.executable, "-I", "-S", "-c", program]


def _iter_chunks(pipe: IO[bytes] | None) -> Iterator[bytes]:
    """What comes out of a pipe, until it is closed at the other end."""
    assert pipe is not None  # noqa: S101 - each was asked for
    while data := os.read(pipe.fileno(), _READ_CHUNK_BYTES):
        yield data
