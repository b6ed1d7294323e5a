"""Looking at real processes: which there are, and when they are gone."""

import contextlib
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

SECONDS = 20.0


class Watched:
    """A process that is waited for, also when someone else reaps it."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._handle = os.pidfd_open(pid)

    def kill(self) -> None:
        """End it without warning, and wait until it has ended."""
        # The other processes of its kernel may have ended it already.
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)
        assert self.is_gone()

    def is_gone(self) -> bool:
        """Whether it ends within the time that a busy machine may need."""
        ready, _, _ = select.select([self._handle], [], [], SECONDS)
        return bool(ready)

    def is_running(self) -> bool:
        """Whether it has not ended yet."""
        ready, _, _ = select.select([self._handle], [], [], 0)
        return not ready


def watch(pids: Iterable[int]) -> list[Watched]:
    """Watch those processes that are there now."""
    found = []
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            found.append(Watched(pid))
    return found


def run_program(text: str) -> subprocess.Popen[str]:
    """Start a Python program that tells lines on its standard output."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    return subprocess.Popen(
        [sys.executable, "-c", text],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=Path(__file__).parent,
    )


def next_line(process: subprocess.Popen[str]) -> str:
    """What a program tells next."""
    assert process.stdout is not None
    return process.stdout.readline().strip()
