"""A real server process, connected to through its standard input and output."""

import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, cast

from tests.behaviour.line import PATIENCE, Json, Line
from tests.behaviour.wire import SESSION


class PipeChannel:
    """The two pipes of a process."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._stdin = cast("IO[bytes]", process.stdin)
        self._stdout = cast("IO[bytes]", process.stdout)
        self._stop = os.pipe()

    def read(self) -> bytes:
        """The next bytes; the end also when the test has stopped reading."""
        sources = [self._stdout.fileno(), self._stop[0]]
        ready, _, _ = select.select(sources, [], [])
        return b"" if self._stop[0] in ready else os.read(sources[0], 1_048_576)

    def stop_reading(self) -> None:
        """Leave what comes from now on in the pipe."""
        os.write(self._stop[1], b"stop")

    def wait_for_output(self) -> None:
        """Wait until the pipe has something in it that no one reads."""
        ready, _, _ = select.select([self._stdout.fileno()], [], [], PATIENCE)
        assert ready, "the server has written nothing"

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[self._stdin.write(view) :]

    def close(self) -> None:
        self._stdin.close()

    def dispose(self) -> None:
        """Close everything, once the process has ended."""
        self._stdin.close()
        self._stdout.close()
        for descriptor in self._stop:
            os.close(descriptor)


class ServerProcess:
    """One server program that runs, and a line to it."""

    def __init__(
        self, command: Sequence[str], log: Path, *, environment: Mapping[str, str] | None = None
    ) -> None:
        self._log = log
        with log.open("wb") as stderr:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                bufsize=0,
                env={**os.environ, **(environment or {})},
            )
        self.channel = PipeChannel(self.process)
        self.line: Line | None = None

    def connect(self, era: str = SESSION, capabilities: Json | None = None) -> Line:
        """Begin to read what the process writes."""
        self.line = Line(self.channel, era, capabilities)
        return self.line

    @property
    def stderr(self) -> str:
        return self._log.read_text(encoding="utf-8", errors="replace")

    def wait_for_stderr(self, text: str) -> None:
        """Wait until the process has written something to its standard error."""
        pause, deadline = threading.Event(), time.monotonic() + PATIENCE
        while text not in self.stderr:
            assert time.monotonic() < deadline, f"{text!r} did not come: {self.stderr}"
            pause.wait(0.005)

    def terminate(self) -> int:
        """Send SIGTERM; the exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.wait()

    def hang_up(self) -> int:
        """Close the server's input; the exit code."""
        self.channel.close()
        return self.wait()

    def wait(self) -> int:
        return self.process.wait(timeout=PATIENCE)

    def dispose(self) -> None:
        """End the process, whatever the test left of it."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait(timeout=PATIENCE)
        if self.line is not None:
            self.line.join()
        self.channel.dispose()


def serve_command(program: Path) -> list[str]:
    return [sys.executable, "-m", "paddock", "serve", str(program)]


def run_command(program: Path) -> list[str]:
    return [sys.executable, str(program)]
