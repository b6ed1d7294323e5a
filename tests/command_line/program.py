"""The `paddock` program in a home of its own: run by another program, or typed on a terminal."""

import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import copy
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PATIENCE = 40.0
COMMAND = [sys.executable, "-m", "paddock"]
STYLE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[()][A-Z0-9]|\r")
"""What a terminal does not show."""


@dataclass(frozen=True)
class Said:
    """What a run of the program printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output as the one JSON document that it is."""
        return json.loads(self.out)


class Program:
    """`paddock` as a user with an empty home has it."""

    command = COMMAND

    def __init__(self, directory: Path) -> None:
        self.home = directory / "home"
        self.work = directory / "work"
        self.data = directory / "data"
        for folder in (self.home, self.work):
            folder.mkdir()
        kept = ("PATH", "PYTHONPATH", "SYSTEMROOT", "LANG", "TMPDIR")
        self.environment = {name: os.environ[name] for name in kept if name in os.environ}
        self.environment |= {
            "HOME": str(self.home),
            "PADDOCK_DATA_DIR": str(self.data),
            "TERM": "xterm-256color",
            "COLUMNS": "200",
        }

    def at(self, directory: Path) -> "Program":
        """The same, in another working directory."""
        other = copy(self)
        other.work = directory
        return other

    def __call__(
        self, *words: str, text: str = "", environment: Mapping[str, str] | None = None
    ) -> Said:
        """Run a command without a terminal."""
        done = subprocess.run(
            [*self.command, *words],
            input=text,
            capture_output=True,
            cwd=self.work,
            env={**self.environment, **(environment or {})},
            encoding="utf-8",
            timeout=PATIENCE,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    @contextmanager
    def terminal(
        self, *words: str, environment: Mapping[str, str] | None = None
    ) -> Iterator["Terminal"]:
        """Run a command on a terminal."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))
        process = subprocess.Popen(
            [*self.command, *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=self.work,
            env={**self.environment, **(environment or {})},
            start_new_session=True,
        )
        os.close(theirs)
        terminal = Terminal(ours, process)
        try:
            yield terminal
        finally:
            process.kill()
            process.wait()
            os.close(ours)


class Terminal:
    """A program on a terminal, and the person in front of it."""

    def __init__(self, handle: int, process: subprocess.Popen[bytes]) -> None:
        self._handle = handle
        self._process = process
        self._seen = b""

    @property
    def raw(self) -> str:
        """Everything that was printed, with its colours."""
        return self._seen.decode(errors="replace")

    @property
    def text(self) -> str:
        """What can be read on the terminal."""
        return STYLE.sub("", self.raw)

    def wait_for(self, text: str) -> None:
        """Read until a text is there."""
        while text not in self.text:
            assert self._read(), f"{text!r} is not in {self.text!r}"

    def type(self, text: str) -> None:
        """Type a line."""
        os.write(self._handle, text.encode() + b"\n")

    def end(self) -> int:
        """Read all that comes, and have the exit code."""
        while self._read():
            pass
        return self._process.wait(PATIENCE)

    def _read(self) -> bool:
        """Read a piece; no more when the program has ended."""
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            ready, _, _ = select.select([self._handle], [], [], 1)
            if not ready:
                continue
            piece = b""
            with suppress(OSError):  # how Linux says that no one is left at the other end
                piece = os.read(self._handle, 65536)
            self._seen += piece
            return bool(piece)
        raise TimeoutError(self.text)
