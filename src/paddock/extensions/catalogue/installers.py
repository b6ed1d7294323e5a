"""pip or uv, whichever installs into the environment of this interpreter, and running it.

Nothing in the working directory has a say: neither modules, nor programs, nor settings. What the
user has set up elsewhere counts.
"""

from __future__ import annotations

import importlib.machinery
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from paddock.extensions.catalogue.errors import InstallExtensionError

INSTALL_TIMEOUT_SECONDS = 900.0
UV_SETTINGS_FILES = ("uv.toml", "pyproject.toml")
"""Files that uv looks for in its working directory, then in those above."""


class PackageInstaller(NamedTuple):
    """A program that installs distributions, and how it is called."""

    name: str
    command: list[str]


def find_package_installer() -> PackageInstaller:
    """What installs a file into the environment of this interpreter.

    Raises:
        InstallExtensionError: when there is nothing.
    """
    if importlib.machinery.PathFinder.find_spec("pip", _list_module_paths()) is not None:
        options = ["--disable-pip-version-check", "--no-input", "--quiet"]
        # -P: not the pip of whoever made the working directory.
        return PackageInstaller("pip", [sys.executable, "-P", "-m", "pip", "install", *options])
    uv = _find_uv()
    if uv is not None:
        options = ["--quiet", "--python", sys.executable]
        return PackageInstaller("uv", [uv, "pip", "install", *options])
    raise InstallExtensionError(
        f"there is neither pip in {sys.prefix} nor uv on this machine",
        hint=f"{sys.executable} -m ensurepip, then try again",
    )


def run_package_installer(command: list[str], directory: Path, lock: int | None) -> str | None:
    """Run a program that installs; why it has failed, or None.

    Args:
        command: The program and its arguments, with absolute paths.
        directory: One of our own, where it runs.
        lock: What the program holds too: if this process is ended, nobody else installs before
            the program is done.

    Raises:
        OSError: when it cannot be started.
    """
    for name in UV_SETTINGS_FILES:
        # Empty: or else uv goes on to the directories above, which may be a stranger's.
        (directory / name).touch()
    try:
        done = subprocess.run(  # noqa: S603 - our own pip or uv, and a file with the right hash
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=directory,
            pass_fds=() if lock is None else (lock,),
            encoding="utf-8",
            errors="replace",
            timeout=INSTALL_TIMEOUT_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return str(error)
    if done.returncode == 0:
        return None
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    return " ".join(lines[-3:])[:600]


def _list_module_paths() -> list[str]:
    """Where modules are looked for, without the working directory, which Python puts first."""
    first, *others = sys.path or [""]
    here = os.getcwd()  # noqa: PTH109 - as Python writes it on the path
    return [place for place in ([] if first == here else [first]) + others if place]


def _find_uv() -> str | None:
    places = os.environ.get("PATH", os.defpath).split(os.pathsep)
    absolute = [place for place in places if Path(place).is_absolute()]
    found = shutil.which("uv", path=os.pathsep.join(absolute))
    # Windows looks in the working directory whatever the path says.
    return found if found is not None and Path(found).is_absolute() else None
