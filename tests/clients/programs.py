"""Running client programs against our servers, and reading their output."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from external.environments import ROOT, NodeEnvironment, PythonEnvironment
from external.python_sdks import FASTMCP, OFFICIAL, OFFICIAL_V1
from tests.clients.environments import INSPECTOR, TYPESCRIPT

Json = dict[str, Any]

HERE = Path(__file__).parent
DRIVERS = HERE / "drivers"
SECONDS = 120
LEGACY, MODERN = "2025-11-25", "2026-07-28"


def served(program: str) -> list[str]:
    """The command that has a server program served by `paddock serve`."""
    return [sys.executable, "-m", "paddock", "serve", str(HERE / program)]


def direct(program: str) -> list[str]:
    """The command that runs a server program on its own."""
    return [sys.executable, str(HERE / program)]


def tapped(directory: Path, command: Sequence[str]) -> list[str]:
    """A command whose conversation is written down in a directory."""
    return [sys.executable, str(HERE / "tap.py"), str(directory), *command]


@dataclass(frozen=True)
class Ended:
    """What a program left behind."""

    code: int
    output: str
    errors: str


def run(
    command: Sequence[str],
    *,
    cwd: Path = ROOT,
    environment: Mapping[str, str] | None = None,
) -> Ended:
    """Run a program to its end, and end what it may have left running."""
    program = subprocess.Popen(
        command,
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    )
    try:
        output, errors = program.communicate(timeout=SECONDS)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        program.wait()
    return Ended(program.returncode, output, errors)


@dataclass(frozen=True)
class SdkClient:
    """A driver, in the environment of the library that it drives."""

    library: str
    environment: PythonEnvironment | NodeEnvironment
    driver: str
    mode: str
    version: str

    @property
    def name(self) -> str:
        """What it is called in test reports."""
        return f"{self.library}-{'legacy' if self.version == LEGACY else 'modern'}"

    @property
    def is_modern(self) -> bool:
        """Whether it speaks the stateless protocol."""
        return self.version == MODERN

    def report(self, action: str, server: Sequence[str]) -> Json:
        """Have the driver act on a server; what it reports."""
        ended = self._run(action, server)
        assert ended.code == 0, ended.errors
        found: Json = json.loads(ended.output)
        return found

    def _run(self, action: str, server: Sequence[str]) -> Ended:
        place = self.environment.prepare()
        if isinstance(self.environment, PythonEnvironment):
            module = f"tests.clients.drivers.{self.driver}"
            return run([str(place), "-W", "ignore", "-m", module, self.mode, action, *server])
        script = str(DRIVERS / f"{self.driver}.cjs")
        return run([self.environment.node(), script, self.mode, action, *server], cwd=place)


SDK_CLIENTS = (
    SdkClient("official-sdk", OFFICIAL, "official_sdk", "legacy", LEGACY),
    SdkClient("official-sdk", OFFICIAL, "official_sdk", "auto", MODERN),
    SdkClient("official-sdk-v1", OFFICIAL_V1, "official_sdk_v1", "legacy", LEGACY),
    SdkClient("fastmcp", FASTMCP, "fastmcp_client", "legacy", LEGACY),
    SdkClient("fastmcp", FASTMCP, "fastmcp_client", "auto", MODERN),
    SdkClient("typescript-sdk", TYPESCRIPT, "typescript_sdk", "legacy", LEGACY),
    SdkClient("typescript-sdk", TYPESCRIPT, "typescript_sdk", "auto", MODERN),
)


def inspect(era: str, server: Sequence[str], method: str, *options: str) -> Ended:
    """Have the Inspector's command line send one request to a server."""
    with scratch_home() as environment:
        return run(
            [
                *inspector_launcher(),
                "--cli",
                f"--protocol-era={era}",
                "--format=json",
                "--quiet",
                *server,
                f"--method={method}",
                *options,
            ],
            environment=environment,
        )


def inspector_launcher() -> list[str]:
    """The command that runs the Inspector; its own arguments follow."""
    folder = INSPECTOR.prepare() / "node_modules" / "@modelcontextprotocol" / "inspector"
    return [INSPECTOR.node(), str(folder / "clients" / "launcher" / "build" / "index.js")]


@contextmanager
def scratch_home() -> Iterator[dict[str, str]]:
    """An environment with an empty home directory, which is gone afterwards with all in it."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        temporary = Path(home) / "tmp"
        temporary.mkdir()
        yield {
            "HOME": home,
            "PATH": os.environ["PATH"],
            "TERM": "dumb",
            "TMPDIR": str(temporary),
        }
