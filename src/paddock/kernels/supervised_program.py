"""External programs, such as test runs, that tools run under a supervisor process.

The supervisor (`paddock.kernels.worker.program_supervisor`) enforces the limits and kills any
processes that the program leaves behind, even if the server itself is killed.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import threading
from contextlib import AbstractContextManager
from typing import IO, TYPE_CHECKING, NamedTuple

from paddock.kernels import sandbox
from paddock.kernels.child.process_tree import KERNEL_ID_VARIABLE
from paddock.kernels.child_process import build_python_command, require_pipe, start_process
from paddock.kernels.kernel import KernelError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

_READ_CHUNK_BYTES = 1 << 16
_MAX_HEAD_BYTES, _MAX_TAIL_BYTES = 1 << 14, 1 << 16
_END_TIMEOUT_SECONDS = 10.0
_NOT_STARTED = "not-started"
_SUPERVISOR_MAIN = "paddock.kernels.worker.program_supervisor:main"


class ProgramExit(NamedTuple):
    """Exit status of a program that ran under a supervisor process."""

    code: int | None
    """The exit code, negative for a signal, or None if the program was stopped or lost."""
    cause: str = ""
    """The reason why there is no exit code: `stopped`, `memory`, `not-started`, or `lost`.

    `lost` means that the supervisor itself was killed.
    """


class SupervisedProgram(AbstractContextManager["SupervisedProgram"]):
    """A running program and its supervisor. Closing it ends every process of the program."""

    def __init__(
        self,
        command: Sequence[str],
        directory: Path,
        *,
        variables: Mapping[str, str] | None = None,
        network: bool = False,
        memory_bytes: int | None = None,
    ) -> None:
        """Start the program in `directory`.

        Args:
            command: The program and its arguments.
            directory: The working directory of the program.
            variables: Additional environment variables.
            network: Whether the program may use the network.
            memory_bytes: Maximum memory for the program and its processes, or None for no limit.

        Raises:
            KernelError: The supervisor cannot be started, or this is Windows.
        """
        if sys.platform == "win32":
            raise KernelError(
                "Programs cannot be supervised on Windows",
                hint="run this server on Linux or macOS, or in WSL",
            )
        self.printed_bytes = 0
        self._head = b""
        self._tail = b""
        self._exit_report = b""
        self._start_error = ""
        self._has_ended = threading.Event()
        self._kernel_id = secrets.token_hex(8)
        settings = {
            "command": [*sandbox.get_command_prefix(network=network), *command],
            "directory": str(directory),
            "network": network,
            "memory_bytes": memory_bytes,
        }
        self._process = start_process(
            build_python_command(_SUPERVISOR_MAIN, json.dumps(settings)),
            command[0],
            kernel_id=self._kernel_id,
            variables=variables,
        )
        self._readers = [
            threading.Thread(target=read, name="paddock-program", daemon=True)
            for read in (self._read_output, self._read_exit_report)
        ]
        for reader in self._readers:
            reader.start()

    def wait(self, seconds: float) -> ProgramExit | None:
        """Wait until the program ends, and return its exit status.

        Returns None if the program is still running after that time.

        Args:
            seconds: The maximum time to wait.

        Raises:
            KernelError: The program could not be started.
        """
        if not self._has_ended.wait(seconds):
            return None
        program_exit = self._parse_exit_report()
        if program_exit.cause == _NOT_STARTED:
            raise KernelError(f"The program cannot be started: {self._start_error}")
        return program_exit

    def stop(self) -> ProgramExit:
        """End the program and all processes that it started, and return its exit status.

        Does nothing if the program has already ended.
        """
        # The supervisor ends the program when its own standard input is closed.
        stdin = self._process.stdin
        if stdin is not None and not stdin.closed:
            stdin.close()
        if not self._has_ended.wait(_END_TIMEOUT_SECONDS):
            self._process.kill()
            self._has_ended.wait(_END_TIMEOUT_SECONDS)
        return self._parse_exit_report()

    def close(self) -> None:
        """End the program if it is still running, and release its pipes and threads."""
        program_exit = self.stop()
        self._process.wait()
        # `lost` means that the supervisor was killed, so it could not end the program's processes.
        if program_exit.cause == "lost":
            self._kill_orphans()
        for reader in self._readers:
            reader.join(_END_TIMEOUT_SECONDS)
        for pipe in (self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()

    def __exit__(self, *_exception: object) -> None:
        self.close()

    @property
    def output(self) -> str:
        """The text that the program has printed so far.

        If the text is long, its middle is replaced by a note with the number of omitted bytes.
        """
        head, tail = self._head, self._tail[-_MAX_TAIL_BYTES:]
        omitted_bytes = self.printed_bytes - len(head) - len(tail)
        note = f"\n... [{omitted_bytes} bytes left out] ...\n" if omitted_bytes > 0 else ""
        return (head + note.encode() + tail).decode("utf-8", "replace")

    def _read_output(self) -> None:
        """Collect the text that the program prints, until the program closes its output.

        Only the beginning and the end of a long text are stored. Runs in its own thread.
        """
        for chunk in _iter_chunks(self._process.stdout):
            self.printed_bytes += len(chunk)
            remaining_head_bytes = _MAX_HEAD_BYTES - len(self._head)
            self._head += chunk[:remaining_head_bytes]
            self._tail += chunk[remaining_head_bytes:]
            # The tail is trimmed only when it reaches twice its maximum size, because trimming
            # copies it.
            if len(self._tail) > 2 * _MAX_TAIL_BYTES:
                self._tail = self._tail[-_MAX_TAIL_BYTES:]

    def _read_exit_report(self) -> None:
        """Read the supervisor's report from its standard error until it closes the pipe."""
        for data in _iter_chunks(self._process.stderr):
            self._exit_report += data
        self._has_ended.set()

    def _parse_exit_report(self) -> ProgramExit:
        """Return the exit status from the supervisor's report, a JSON object.

        If there is no report, the supervisor was killed, and the cause is `lost`.
        """
        try:
            report = json.loads(self._exit_report)
        except ValueError:
            return ProgramExit(None, "lost")
        self._start_error = str(report.get("fault", ""))
        return ProgramExit(report.get("code"), report.get("cause", ""))

    def _kill_orphans(self) -> None:
        """Kill the program's processes after its supervisor was killed.

        Runs `kill_kernel` in a new process, which finds them by the kernel ID in their environment.
        """
        subprocess.run(
            build_python_command("paddock.kernels.child.process_tree:kill_kernel"),
            env=sandbox.build_environment() | {KERNEL_ID_VARIABLE: self._kernel_id},
            start_new_session=True,
            timeout=_END_TIMEOUT_SECONDS,
            check=False,
        )


def _iter_chunks(pipe: IO[bytes] | None) -> Iterator[bytes]:
    handle = require_pipe(pipe).fileno()
    while data := os.read(handle, _READ_CHUNK_BYTES):
        yield data
