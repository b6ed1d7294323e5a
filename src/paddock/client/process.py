"""A server that runs as a child process and ends with its connection."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections import deque
from typing import IO, TYPE_CHECKING

from paddock.errors import ConnectError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paddock.client.connect_options import ConnectSettings

READ_CHUNK_BYTES = 1 << 16
STOP_SECONDS = 2.0
"""Seconds that a server has to exit after its input is closed, and again after a SIGTERM."""
EXIT_CODE_SECONDS = 1.0
"""Seconds to wait for the exit code of a server that has closed its output."""
MAX_STDERR_LINES = 20


class ProcessChannel:
    """A channel to a server process over its standard input and output."""

    def __init__(
        self,
        command: Sequence[str],
        settings: ConnectSettings,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        """Start the server's process.

        Args:
            command: The program and its arguments.
            settings: The connection settings, of which `env`, `cwd` and `stderr` are used.
            environment: The process's complete environment. By default, it is the environment of
                this process with `settings.env` added.

        Raises:
            ConnectError: The process cannot be started.
        """
        keeps_stderr = settings.stderr == "capture"
        try:
            self._process = subprocess.Popen(  # noqa: S603 - the caller named this program
                list(command),
                bufsize=0,  # Otherwise reads would wait until a whole buffer has arrived.
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE if keeps_stderr else settings.stderr,  # type: ignore[arg-type]  # "capture" is dealt with
                cwd=settings.cwd,
                env=environment or ({**os.environ, **settings.env} if settings.env else None),
            )
        except OSError as error:
            reason = error.strerror or str(error)
            raise ConnectError(f"Cannot start {' '.join(command)!r}: {reason}") from None
        self._input = _require_pipe(self._process.stdin)
        self._output = _require_pipe(self._process.stdout)
        self._stderr_tail: deque[str] = deque(maxlen=MAX_STDERR_LINES)
        self._stderr_thread = threading.Thread(
            target=self._read_stderr, name="paddock-stderr", daemon=True
        )
        if keeps_stderr:
            self._stderr_thread.start()

    def read(self) -> bytes:
        """Wait for the next bytes of the server's output and return them, or b"" at the end."""
        try:
            chunk = self._output.read(READ_CHUNK_BYTES)
        except (OSError, ValueError):
            chunk = b""
        if not chunk:
            self._output.close()
        return chunk

    def write(self, data: bytes) -> None:
        """Write bytes to the server's input."""
        unwritten = memoryview(data)
        while unwritten:
            unwritten = unwritten[self._input.write(unwritten) :]

    def close(self) -> None:
        """Close the server's input and wait for it to exit.

        A server that does not exit within `STOP_SECONDS` is terminated, and killed if that has no
        effect.
        """
        self._input.close()
        for stop in (self._process.terminate, self._process.kill):
            try:
                self._process.wait(STOP_SECONDS)
                break
            except subprocess.TimeoutExpired:
                stop()
        self._process.wait()
        self._join_stderr_thread()

    def explain_end(self) -> str:
        """Return an error message that explains the end of the server's output.

        It contains the exit code and the last lines of standard error, such as `The server ended
        with exit code 1; the end of its standard error: …`.
        """
        # A server that crashes closes its output a moment before its exit code is available.
        try:
            description = _describe_exit(self._process.wait(EXIT_CODE_SECONDS))
        except subprocess.TimeoutExpired:
            description = "closed its output but is still running"
        self._join_stderr_thread()
        return f"The server {description}{self.format_stderr_tail()}"

    def format_stderr_tail(self) -> str:
        """Return the last lines of standard error as the end of a message, or ""."""
        lines = "".join(f"\n  {line}" for line in self._stderr_tail)
        return f"; the end of its standard error:{lines}" if lines else ""

    def _join_stderr_thread(self) -> None:
        if self._stderr_thread.is_alive():
            self._stderr_thread.join(EXIT_CODE_SECONDS)

    def _read_stderr(self) -> None:
        with _require_pipe(self._process.stderr) as stderr:
            for line in stderr:
                self._stderr_tail.append(line.decode(errors="replace").rstrip())


def _describe_exit(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _require_pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise ConnectError("The server's process has no pipes")
    return stream
