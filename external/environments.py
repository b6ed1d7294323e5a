"""Where programs of others live: each in an environment of its own below `.cache/external`.

Tests run real clients from there, benchmarks run other libraries' servers. An environment is made
when it is first asked for, and made anew when its pinned versions change.
"""

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CACHE = ROOT / ".cache" / "external"
INSTALL_SECONDS = 600
NPM_OPTIONS = ("--no-audit", "--no-fund", "--no-progress", "--loglevel=error")


class InstallError(Exception):
    """A program could not be installed."""


@dataclass(frozen=True)
class PythonEnvironment:
    """Packages from the Python index, in a virtual environment.

    `exempt` packages are installed without their dependencies, which `packages` then has to name:
    the way to install a release that asks for a version the index does not have. `state` tells
    one state of a package from another where a version does not.
    """

    name: str
    packages: tuple[str, ...]
    exempt: tuple[str, ...] = ()
    state: str = ""

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
    """Packages from the npm registry; with a Node of its own if the packages name one.

    `runtime` is another environment whose Node installs and runs them. `builds` are npm's commands
    in folders of the packages, which take the place of the scripts that packages come with.
    """

    name: str
    packages: tuple[str, ...]
    runtime: "NodeEnvironment | None" = field(default=None, repr=False)
    builds: tuple[tuple[str, str], ...] = field(default=(), repr=False)

    def prepare(self) -> Path:
        """Install what is missing; the folder with `node_modules`."""
        state = repr(self) + (repr(self.builds) if self.builds else "")
        with _up_to_date(self.name, state) as folder:
            if folder is not None:
                self._install(folder)
        return CACHE / self.name

    def _install(self, folder: Path) -> None:
        first = self.runtime.bin() if self.runtime else None
        npm = [shutil.which("npm") or "npm", *NPM_OPTIONS]
        scripts = ["--ignore-scripts"] if self.builds else []
        _run([*npm, "install", "--prefix", str(folder), *scripts, *self.packages], first=first)
        for place, command in self.builds:
            _run([*npm, "--prefix", str(folder / place), *command.split()], first=first)

    def node(self) -> str:
        """The Node that runs the packages."""
        if self.runtime:
            return self.runtime.node()
        own = self.prepare() / "node_modules" / "node" / "bin" / "node"
        return str(own) if own.exists() else shutil.which("node") or "node"

    def bin(self) -> Path:
        """Where the programs are that the packages bring."""
        return self.prepare() / "node_modules" / ".bin"

    def executable(self, name: str) -> str:
        """A program that the packages bring."""
        return str(self.bin() / name)


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


def _run(command: Sequence[str], *, first: Path | None = None) -> None:
    """Run a command; programs that it starts are looked for in the `first` folder first."""
    # Packages without bytecode would be compiled again at every start that is measured.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    if first:
        environment["PATH"] = f"{first}{os.pathsep}{environment['PATH']}"
    name = Path(command[0]).name
    try:
        done = subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            env=environment,
            timeout=INSTALL_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise InstallError(f"{name} took longer than {INSTALL_SECONDS} s") from None
    if done.returncode:
        complaint = (done.stderr or done.stdout).strip()[-1000:]
        raise InstallError(f"{name} ended with {done.returncode}: {complaint}")
