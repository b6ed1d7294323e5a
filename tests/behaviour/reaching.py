"""The same server reached in memory, through pipes, and over HTTP."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from paddock.serving.session import serve_in_memory
from tests.behaviour import task_server
from tests.behaviour.line import Json, Line
from tests.behaviour.process import ServerProcess
from tests.behaviour.wire import SESSION
from tests.http.channel import HttpChannel
from tests.http.hosting import Host

WAYS = ("memory", "stdio", "http")


class Reach:
    """Opens lines to a server with tasks."""

    def __init__(self, way: str, directory: Path) -> None:
        self._way = way
        self._log = directory / "stderr.txt"
        self._ending = ExitStack()
        self._lines: list[Line] = []

    def __call__(
        self, era: str, *, capabilities: Json | None = None, version: str | None = None
    ) -> Line:
        line: Line = getattr(self, f"_{self._way}")(era, capabilities)
        self._lines.append(line)
        if era == SESSION:
            line.open(version or SESSION)
        return line

    def close(self) -> list[str]:
        """End everything; what was wrong with what was sent."""
        for line in self._lines:
            line.close()
        self._ending.close()
        return [fault for line in self._lines for fault in line.transcript.faults()]

    def _memory(self, era: str, capabilities: Json | None) -> Line:
        return Line(serve_in_memory(task_server.build()), era, capabilities)

    def _stdio(self, era: str, capabilities: Json | None) -> Line:
        process = ServerProcess([sys.executable, task_server.__file__], self._log)
        self._ending.callback(process.dispose)
        return process.connect(era, capabilities)

    def _http(self, era: str, capabilities: Json | None) -> Line:
        host = self._ending.enter_context(_hosting())
        return Line(HttpChannel(host(task_server.build())), era, capabilities)


@contextmanager
def _hosting() -> Iterator[Host]:
    host = Host()
    yield host
    host.stop()
