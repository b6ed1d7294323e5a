"""Whether the program of an entry can be started, and has this Paddock in it.

Asked before an entry is started as a whole, since a client says nothing but that it failed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from paddock.clients.checking import build_client_environment
from paddock.files import path_exists
from paddock.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.clients.client import Client
    from paddock.clients.shapes import ConfigEntry

VERSION_CHECK_TIMEOUT_SECONDS = 30.0
VERSION_SCRIPT = "import paddock.version as v; print(v.__version__)"


class EntryProblem(NamedTuple):
    """What is wrong with an entry."""

    message: str
    remedy: str = ""
    """Empty: installing again helps."""
    is_fatal: bool = True
    """Whether the server cannot work with it."""


def find_interpreter_problems(client: Client, entry: ConfigEntry) -> Iterator[EntryProblem]:
    """What keeps the program of an entry from starting Paddock, or this version of it."""
    if entry.url is not None or entry.command is None:
        return
    program = Path(entry.command)
    if not program.is_absolute():
        message = f"the command {entry.command!r} is not absolute: the client may not find it"
        yield EntryProblem(message, is_fatal=False)
        return
    if not path_exists(program):
        yield EntryProblem(f"there is no {program} any more")
        return
    if program.is_dir() or not os.access(program, os.X_OK):
        yield EntryProblem(f"{program} cannot be executed")
        return
    if "-m" in entry.args and "paddock" in entry.args:
        yield from _find_version_problems(client, entry)


def _find_version_problems(client: Client, entry: ConfigEntry) -> Iterator[EntryProblem]:
    # Without -P, and in a directory that others write to, Python would import what stands there.
    flags = ["-P", *entry.args[: entry.args.index("-m")]]
    try:
        with tempfile.TemporaryDirectory(prefix="paddock-", ignore_cleanup_errors=True) as private:
            ran = subprocess.run(  # noqa: S603 - the user has installed this program
                [str(entry.command), *flags, "-c", VERSION_SCRIPT],
                capture_output=True,
                cwd=private,
                env=build_client_environment(client, entry),
                timeout=VERSION_CHECK_TIMEOUT_SECONDS,
                check=False,
            )
    except (OSError, subprocess.TimeoutExpired) as error:
        yield EntryProblem(f"{entry.command} cannot be run: {error}")
        return
    found = ran.stdout.decode(errors="replace").strip()
    if ran.returncode != 0:
        last = ran.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        yield EntryProblem(f"{entry.command} cannot import Paddock: {last}")
    elif found != __version__:
        message = f"{entry.command} has Paddock {found}; this is {__version__} in {sys.executable}"
        yield EntryProblem(message, is_fatal=False)
