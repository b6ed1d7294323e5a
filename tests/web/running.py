"""`paddock up` as a process of its own, as people start it, and what tests ask of it directly."""

import json
import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

PATIENCE = 30.0
ADDRESS = re.compile(r"Paddock is at (http://\S+?)/?$")


class Up:
    """A running Paddock."""

    def __init__(self, place: Path, process: "subprocess.Popen[str]", url: str) -> None:
        self.place = place
        self.process = process
        self.url = url

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2])

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """Ask the REST API, as another window or a script would."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"} if data else {}
        request = Request(self.url + path, data=data, headers=headers, method=method)  # noqa: S310 - a loopback address
        with urlopen(request, timeout=PATIENCE) as answer:  # noqa: S310 - as above
            text = answer.read()
        return json.loads(text) if text else None

    def agent(self, **fields: Any) -> Any:
        """Make an agent."""
        return self.ask("POST", "/api/agents", fields)

    def end(self) -> int:
        """Have it end cleanly; its exit code."""
        self.process.terminate()
        return self.process.wait(PATIENCE)


@contextmanager
def up(place: Path, port: int = 0) -> Iterator[Up]:
    """A Paddock whose data is at a place; it has ended afterwards."""
    command = [sys.executable, "-m", "paddock", "up", "--no-browser", "--port", str(port)]
    environment = {**os.environ, "PADDOCK_DATA_DIR": str(place / "data"), "HOME": str(place)}
    process = subprocess.Popen(command, stderr=subprocess.PIPE, env=environment, text=True)
    lines: queue.Queue[str | None] = queue.Queue()
    reader = threading.Thread(target=_read, args=(process, lines), daemon=True)
    reader.start()
    try:
        yield Up(place, process, _address(lines))
    finally:
        process.kill()
        process.wait()
        reader.join(PATIENCE)
        assert process.stderr is not None
        process.stderr.close()


def _read(process: "subprocess.Popen[str]", lines: "queue.Queue[str | None]") -> None:
    assert process.stderr is not None
    for line in process.stderr:
        lines.put(line.rstrip("\n"))
    lines.put(None)


def _address(lines: "queue.Queue[str | None]") -> str:
    told: list[str] = []
    while (line := lines.get(timeout=PATIENCE)) is not None:
        told.append(line)
        if found := ADDRESS.search(line):
            return found[1]
    raise AssertionError("\n".join(told))
