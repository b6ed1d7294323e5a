"""The environments of the peers: each library installed on its own below `.cache/bench`."""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from benchmarks.driver import ROOT

CACHE = ROOT / ".cache" / "bench"
INSTALL_SECONDS = 600


class NotInstalledError(Exception):
    """A library could not be installed."""


@dataclass(frozen=True)
class PythonPackages:
    """Packages from the Python index, in a virtual environment.

    `exempt` packages are installed without their dependencies, which `requirements` then has to
    name: the way to install a release that asks for a version the index does not have.
    """

    requirements: tuple[str, ...]
    exempt: tuple[str, ...] = ()

    def prepare(self, folder: Path, program: Path) -> tuple[str, ...]:
        """Install what is missing, and return the command that runs the program."""
        if not _is_current(folder, self):
            _start_over(folder)
            self.install(folder)
            _mark_current(folder, self)
        return str(folder / "bin" / "python"), str(program)

    def install(self, folder: Path) -> None:
        """Make the environment."""
        python = folder / "bin" / "python"
        uv = shutil.which("uv")
        if uv:
            _run([uv, "venv", "--quiet", "--python", sys.executable, str(folder)])
            pip = [uv, "pip", "install", "--compile-bytecode", "--python", str(python)]
        else:
            _run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
            pip = [sys.executable, "-m", "pip", "--python", str(python), "install"]
        _run([*pip, "--quiet", *self.requirements])
        if self.exempt:
            _run([*pip, "--quiet", "--no-deps", *self.exempt])


@dataclass(frozen=True)
class Checkout:
    """Our own library as it is in the working tree, installed the way users install it.

    Not the environment we develop in: its tools bring packages along that a user's server does
    without, and that ours would load.
    """

    command: tuple[str, ...] = ("python",)

    def prepare(self, _folder: Path, program: Path) -> tuple[str, ...]:
        """Install the tree if it has changed, and return the command that runs the program."""
        folder = CACHE / "paddock"
        state = _digest(ROOT / "src", ROOT / "pyproject.toml")
        if not _is_current(folder, state):
            _start_over(folder)
            PythonPackages((str(ROOT),)).install(folder)
            _mark_current(folder, state)
        name, *arguments = self.command
        return str(folder / "bin" / name), *arguments, str(program)


@dataclass(frozen=True)
class NodePackages:
    """Packages from the npm registry."""

    requirements: tuple[str, ...]

    def prepare(self, folder: Path, program: Path) -> tuple[str, ...]:
        """Install what is missing, and return the command that runs the program."""
        node, npm = shutil.which("node"), shutil.which("npm")
        if not node or not npm:
            raise NotInstalledError("needs node and npm")
        if not _is_current(folder, self):
            _start_over(folder)
            options = ["--no-audit", "--no-fund", "--silent"]
            _run([npm, "install", "--prefix", str(folder), *options, *self.requirements])
            _mark_current(folder, self)
        # Node looks for packages beside the program, not where it is started.
        return node, str(shutil.copy(program, folder))


def _is_current(folder: Path, packages: object) -> bool:
    mark = folder / ".installed"
    return mark.is_file() and mark.read_text(encoding="utf-8") == repr(packages)


def _mark_current(folder: Path, packages: object) -> None:
    (folder / ".installed").write_text(repr(packages), encoding="utf-8")


def _digest(*places: Path) -> str:
    """What tells one state of some files and folders from another."""
    digest = sha256()
    for place in places:
        for file in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _start_over(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)


def _run(command: Sequence[str]) -> None:
    # Packages without bytecode would be compiled again at every start that is measured.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    try:
        subprocess.run(
            command,
            check=True,
            capture_output=True,
            text=True,
            env=environment,
            timeout=INSTALL_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise NotInstalledError(f"{Path(command[0]).name} took too long") from None
    except subprocess.CalledProcessError as error:
        complaints = [line for line in error.stderr.splitlines() if line.strip()]
        reason = complaints[-1] if complaints else f"exit code {error.returncode}"
        raise NotInstalledError(reason[:200]) from None
