"""The command that starts a named server from anywhere.

A client starts it with another PATH, in another directory and often with few environment
variables, so the command relies on none of them.
"""

from __future__ import annotations

import json
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
"""What the directories of uv's cache are called in which environments are made for one run."""


class LaunchCommand(NamedTuple):
    """A program with its arguments."""

    command: str
    args: list[str]


def build_launch_command(server: str | os.PathLike[str]) -> LaunchCommand:
    """The command that serves a named server, or with a path the file or directory there.

    It is this interpreter, as it was called and not what its link leads to, so that a virtual
    environment stays one. In an environment that uv has made for one run it is uv.
    """
    if isinstance(server, str):
        serving = ["serve", "--named", server]
    else:
        serving = ["serve", str(Path(server).absolute())]
    again = _find_uv_command() if _is_temporary_environment(Path(sys.prefix)) else None
    if again is not None:
        return LaunchCommand(again.command, [*again.args, *serving])
    return LaunchCommand(_get_interpreter_path(), ["-P", "-m", "paddock", *serving])


def build_launch_environment() -> dict[str, str]:
    """The variables without which the command would not find the server again."""
    found = {} if is_default_data_directory() else {DATA_DIRECTORY_VARIABLE: get_data_directory()}
    paclets = get_configured_paths()
    return found if paclets is None else {**found, PACLET_PATH_VARIABLE: paclets}


def _get_interpreter_path() -> str:
    """The interpreter as it was called, absolute; a link is not followed."""
    return str(Path(sys.executable).absolute())


def _is_temporary_environment(prefix: Path) -> bool:
    """Whether an environment belongs to a cache that may be emptied at any time."""
    return any(part.startswith(_UV_CACHE_PREFIXES) for part in prefix.parts)


def _find_uv_command() -> LaunchCommand | None:
    """How uv starts Paddock again; None when there is no uv to be found."""
    uv = os.environ.get("UV") or shutil.which("uv")
    if uv is None:
        return None
    return LaunchCommand(
        str(Path(uv).absolute()), ["tool", "run", "--from", _get_requirement(), "paddock"]
    )


def _get_requirement() -> str:
    """What uv is to install: this version, or the file or directory that this one came from."""
    from importlib.metadata import PackageNotFoundError, distribution  # noqa: PLC0415 - 10 ms
    from urllib.parse import urlsplit  # noqa: PLC0415 - with the next
    from urllib.request import url2pathname  # noqa: PLC0415 - brings ssl and sockets, 15 ms

    try:
        text = distribution("paddock").read_text("direct_url.json")
        url = str(json.loads(text)["url"]) if text else ""
    except (PackageNotFoundError, ValueError, KeyError):
        url = ""
    if url.startswith("file:"):
        return url2pathname(urlsplit(url).path)
    return url or f"paddock=={__version__}"
