"""The command that clients use to start a named server.

Clients run it in another directory, with another PATH and often with few environment variables, so
the command does not depend on any of them.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import NamedTuple

from paddock.directories import (
    DATA_DIRECTORY_VARIABLE,
    get_data_directory,
    is_default_data_directory,
)
from paddock.extensions.paclets.search_paths import PACLET_PATH_VARIABLE, get_configured_paths
from paddock.version import __version__

_UV_CACHE_PREFIXES = ("archive-v", "environments-v", "builds-v")
"""Prefixes of the directories in uv's cache that contain temporary environments."""


class LaunchCommand(NamedTuple):
    """A program and its arguments."""

    command: str
    args: list[str]


def build_launch_command(server: str | os.PathLike[str]) -> LaunchCommand:
    """Return the command that starts a named server, or the server at a path.

    The command runs this Python interpreter, for example `python -P -m paddock serve --named
    Demo`. If uv created the environment for a single run (`uvx`), the command runs uv instead,
    because the interpreter may be deleted later.
    """
    # A name such as `acme/charts/Charts` looks like a path. With --named it is always a name,
    # regardless of the files in the directory where the client runs the command.
    if isinstance(server, str):
        serve_arguments = ["serve", "--named", server]
    else:
        serve_arguments = ["serve", str(Path(server).absolute())]
    uv_command = _find_uv_command() if _is_temporary_environment(Path(sys.prefix)) else None
    if uv_command is not None:
        return LaunchCommand(uv_command.command, [*uv_command.args, *serve_arguments])
    # Python recognizes a virtual environment by the path of its link to the interpreter, so the
    # link must not be resolved.
    interpreter = str(Path(sys.executable).absolute())
    return LaunchCommand(interpreter, ["-P", "-m", "paddock", *serve_arguments])


def build_launch_environment() -> dict[str, str]:
    """Return the environment variables that the launch command needs in order to find the server.

    They contain this process's data directory and paclet directories, unless these are the
    defaults. A client runs the command without the variables of the user's shell.
    """
    environment: dict[str, str] = {}
    if not is_default_data_directory():
        environment[DATA_DIRECTORY_VARIABLE] = get_data_directory()
    paclet_paths = get_configured_paths()
    if paclet_paths is not None:
        environment[PACLET_PATH_VARIABLE] = paclet_paths
    return environment


def _is_temporary_environment(prefix: Path) -> bool:
    """Return whether an environment is in uv's cache, which may be cleared at any time."""
    return any(part.startswith(_UV_CACHE_PREFIXES) for part in prefix.parts)


def _find_uv_command() -> LaunchCommand | None:
    """Return the command that runs Paddock with uv, or None if uv is not found.

    An example is `uv tool run --from paddock==1.0 paddock`.
    """
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv is None:
        return None
    # Imported here, because it loads importlib.metadata, ssl and sockets, which takes 25 ms.
    from paddock.extensions.editable_installs import find_installation_source

    requirement = find_installation_source("paddock") or f"paddock=={__version__}"
    return LaunchCommand(
        str(Path(uv).absolute()), ["tool", "run", "--from", requirement, "paddock"]
    )
