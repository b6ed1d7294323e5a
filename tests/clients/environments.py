"""Where client programs live: each in an environment of its own below `.cache/clients`.

An environment is made when it is first asked for, and made anew when its pinned versions change.
"""

import fcntl
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache" / "clients"
INSTALL_SECONDS = 600


class InstallError(Exception):
    """A client program could not be installed."""


@dataclass(frozen=True)
class PythonEnvironment:
    """Packages from the Python index, in a virtual environment.

    `exempt` packages are installed without their dependencies, which `packages` then has to name:
    the way to install a release that asks for a version the index does not have.
    """

    name: str
    packages: tuple[str, ...]
    exempt: tuple[str, ...] = ()

    def prepare(self) -> Path:
        """Install what is missing; the interpreter of the environment."""
        with _up_to_date(self.name, repr(self)) as folder:
            if folder is not None:
                self._install(folder)
        return CACHE / self.name / "bin" / "python"

    def _install(self, folder: Path) -> None:
        python = folder / "bin" / "python"
        uv = shutil.which("uv")
        if uv:
            _run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)])
            install = [uv, "pip", "install", "--compile-bytecode", "--python", str(python)]
        else:
            _run([sys.executable, "-m", "venv", str(folder)])
            install = [str(python), "-m", "pip", "--disable-pip-version-check", "install"]
        _run([*install, "--quiet", *self.packages])
        if self.exempt:
            _run([*install, "--quiet", "--no-deps", *self.exempt])


@dataclass(frozen=True)
class NodeEnvironment:
    """Packages from the npm registry; with a Node of its own if the packages name one."""

    name: str
    packages: tuple[str, ...]

    def prepare(self) -> Path:
        """Install what is missing; the folder with `node_modules`."""
        with _up_to_date(self.name, repr(self)) as folder:
            if folder is not None:
                options = ["--no-audit", "--no-fund", "--no-progress", "--loglevel=error"]
                npm = shutil.which("npm") or "npm"
                _run([npm, "install", "--prefix", str(folder), *options, *self.packages])
        return CACHE / self.name

    def node(self) -> str:
        """The Node that runs the packages."""
        own = self.prepare() / "node_modules" / "node" / "bin" / "node"
        return str(own) if own.exists() else shutil.which("node") or "node"

    def executable(self, name: str) -> str:
        """A program that the packages bring."""
        return str(self.prepare() / "node_modules" / ".bin" / name)


@contextmanager
def _up_to_date(name: str, versions: str) -> Iterator[Path | None]:
    """Gives an empty folder to install into, or None where that has been done.

    One process at a time gets it, also when several test runs share the cache.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    folder, stamp = CACHE / name, CACHE / name / ".installed"
    with (CACHE / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.is_file() and stamp.read_text(encoding="utf-8") == versions:
            yield None
            return
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        yield folder
        stamp.write_text(versions, encoding="utf-8")


def _run(command: Sequence[str]) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run(
        command,
        check=False,
        capture_output=True,
        text=True,
        env=environment,
        timeout=INSTALL_SECONDS,
    )
    if done.returncode:
        complaint = (done.stderr or done.stdout).strip()[-1000:]
        raise InstallError(f"{Path(command[0]).name} ended with {done.returncode}: {complaint}")


def _goose_package() -> str:
    """Goose comes as one package for each platform."""
    machine = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    return f"@aaif/goose-binary-{platform.system().lower()}-{machine}"


OFFICIAL = PythonEnvironment("official-sdk", ("mcp==2.3.0",))
OFFICIAL_V1 = PythonEnvironment("official-sdk-v1", ("mcp==1.30.0",))
FASTMCP = PythonEnvironment(
    "fastmcp",
    # What fastmcp 4.1.4 asks for, but for a release of certifi that not every index has.
    (
        "authlib>=1.6.11",
        "certifi",
        "cyclopts>=4.0.0",
        "exceptiongroup>=1.2.2",
        "griffelib>=2.0.0",
        "httpx2>=2.5.0",
        "joserfc>=1.5.0",
        "jsonref>=1.1.0",
        "jsonschema-path>=0.3.4",
        "mcp==2.3.0",
        "openapi-pydantic>=0.6.0",
        "opentelemetry-api>=1.28.0",
        "packaging>=24.0",
        "platformdirs>=4.0.0",
        "py-key-value-aio[filetree,memory]>=0.4.4,<0.5.0",
        "pydantic-settings>=2.0.0",
        "pydantic[email]>=2.12.0",
        "pyperclip>=1.9.0",
        "python-dotenv>=1.1.0",
        "python-multipart>=0.0.26",
        "pyyaml>=6.0,<7.0",
        "rich>=13.9.4",
        "starlette>=1.0.1",
        "typing-extensions>=4.0.0",
        "uncalled-for>=0.4.0",
        "uvicorn>=0.35",
        "watchfiles>=1.0.0",
        "websockets>=15.0.1",
    ),
    exempt=("fastmcp==4.1.4", "fastmcp-slim==4.1.4"),
)
TYPESCRIPT = NodeEnvironment("typescript-sdk", ("@modelcontextprotocol/client@2.4.0",))
INSPECTOR = NodeEnvironment("inspector", ("@modelcontextprotocol/inspector@2.12.0", "node@22.23.3"))
CLAUDE = NodeEnvironment("claude", ("@anthropic-ai/claude-code@2.1.325",))
GEMINI = NodeEnvironment("gemini", ("@google/gemini-cli@0.61.0",))
CLINE = NodeEnvironment("cline", ("cline@3.0.65",))
COPILOT = NodeEnvironment("copilot", ("@github/copilot@1.0.102",))
GOOSE = NodeEnvironment("goose", (f"{_goose_package()}@1.52.0",))
ENVIRONMENTS = (
    OFFICIAL,
    OFFICIAL_V1,
    FASTMCP,
    TYPESCRIPT,
    INSPECTOR,
    CLAUDE,
    GEMINI,
    CLINE,
    COPILOT,
    GOOSE,
)


def prepare_all() -> None:
    """Install whatever is missing of all of them, two at a time."""
    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(lambda environment: environment.prepare(), ENVIRONMENTS):
            pass
