"""Our servers behind HTTP, as processes that client programs can talk to."""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

from external.environments import ROOT
from tests.ports import free_port

PATIENCE = 30


@contextmanager
def serving(
    command: Sequence[str],
    path: str = "/mcp",
    *,
    environment: Mapping[str, str] | None = None,
    log: Path | None = None,
) -> Iterator[str]:
    """Run a server on a free port, which takes the place of PORT; the URL of its endpoint.

    What it prints goes to the `log`.
    """
    port = free_port()
    whole = [part.replace("PORT", str(port)) for part in command]
    if environment is None:
        environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}"}
    with log.open("ab") if log else tempfile.TemporaryFile() as sink:
        program = subprocess.Popen(whole, cwd=ROOT, env=environment, stdout=sink, stderr=sink)
        try:
            _wait_for(port, program)
            yield f"http://127.0.0.1:{port}{path}"
        finally:
            program.terminate()
            program.wait(PATIENCE)


def paddock_command(program: str) -> list[str]:
    """Have `paddock serve` serve a program."""
    return [sys.executable, "-m", "paddock", "serve", program, "--http", "127.0.0.1:PORT"]


def uvicorn_command(app: str) -> list[str]:
    """Have uvicorn serve an application, with what makes it fast."""
    options = ["--port", "PORT", "--log-level", "warning", "--timeout-graceful-shutdown", "1"]
    return [sys.executable, "-m", "uvicorn", app, *options]


def granian_command(app: str) -> list[str]:
    """Have granian serve an application."""
    options = ["--interface", "asgi", "--port", "PORT", "--workers-kill-timeout", "1"]
    return [sys.executable, "-m", "granian", *options, app]


def _wait_for(port: int, program: "subprocess.Popen[bytes]") -> None:
    pause, deadline = threading.Event(), time.monotonic() + PATIENCE
    while True:
        assert program.poll() is None, f"the server ended with {program.returncode}"
        assert time.monotonic() < deadline, "the server does not listen"
        connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        try:
            connection.request("GET", "/health")
            assert connection.getresponse().status == 200
        except ConnectionError:
            pause.wait(0.01)
        else:
            return
        finally:
            connection.close()
