"""A server program that is measured: how it is started, watched and ended."""

import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self

ROOT = Path(__file__).parents[1]
ANSWER_SECONDS = 60.0
EXIT_SECONDS = 5.0
_REGISTERED = re.compile(rb"^registered \d+ in ([\d.]+)$", re.MULTILINE)


class ServerFailedError(Exception):
    """A server did not start, died, fell silent or gave a wrong answer."""


def clean_environment(extra: Mapping[str, str]) -> dict[str, str]:
    """The environment of a measured program.

    Variables of Python's own are left out: one that forbids bytecode files, for example, would
    make each start several times slower.
    """
    inherited = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return {**inherited, "PYTHONPATH": str(ROOT), **extra}


class Program:
    """A server program that runs, with its standard error kept in a file."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], pipes: int = subprocess.PIPE
    ) -> None:
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__
        # Set up before the clock starts: a cold start is measured from here.
        variables = clean_environment(environment)
        self.started = time.perf_counter()
        try:
            self._process = subprocess.Popen(
                command,
                stdin=pipes,
                stdout=pipes,
                stderr=self._errors,
                env=variables,
                cwd=ROOT,
                bufsize=0,
                start_new_session=True,
            )
        except OSError as error:
            self._errors.close()
            raise ServerFailedError(f"{Path(command[0]).name}: {error.strerror}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ask_to_end()
        try:
            self._process.wait(EXIT_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout, self._errors):
            if pipe is not None:
                pipe.close()

    def _ask_to_end(self) -> None:
        """What makes a well-behaved program end; one that does not is killed."""
        self._process.terminate()

    @property
    def pid(self) -> int:
        """The process id of the server."""
        return self._process.pid

    def kill(self) -> None:
        """End the program and whatever it has started, which ends any wait for its answer."""
        try:
            os.killpg(self.pid, signal.SIGKILL)
        except ProcessLookupError:
            return  # it has ended by itself

    @contextmanager
    def deadline(self, seconds: float = ANSWER_SECONDS) -> Iterator[None]:
        """Kill the server when the block takes longer."""
        # A timer outside the loop, because a `select` before each read would be measured too.
        timer = threading.Timer(seconds, self.kill)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def failure(self) -> ServerFailedError:
        """What to raise when the server no longer answers: its own last words."""
        self.kill()
        code = self._process.wait()
        complaints = self._stderr().decode(errors="replace").strip().splitlines()
        reason = complaints[-1] if complaints else f"no answer, and nothing on stderr (exit {code})"
        return ServerFailedError(reason[:200])

    def _stderr(self) -> bytes:
        # By position, since the server writes through the same open file.
        return os.pread(self._errors.fileno(), os.fstat(self._errors.fileno()).st_size, 0)

    def registration_seconds(self) -> float:
        """How long the server says that it took to register its generated tools."""
        told = _REGISTERED.search(self._stderr())
        if told is None:
            raise ServerFailedError("said nothing about its registration on stderr")
        return float(told[1])
