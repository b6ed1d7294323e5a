"""Whether an application is running just now.

Some write their configuration from memory when they end, and undo what was written meanwhile.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.clients.client import Client

KERNEL_NAME = 15
"""Linux keeps this much of the name of a process."""
SECONDS = 10.0
PROC = Path("/proc")


def is_running(client: Client) -> bool:
    """Whether a process of the client can be seen, of those that overwrite its file."""
    wanted = {_plain(name) for name in client.processes}
    return bool(wanted) and any(_is_one_of(name, wanted) for name in _process_names())


def _is_one_of(name: str, wanted: set[str]) -> bool:
    found = _plain(name)
    is_cut = len(found) == KERNEL_NAME and sys.platform == "linux"
    return found in wanted or (is_cut and any(one.startswith(found) for one in wanted))


def _plain(name: str) -> str:
    """A name as it is compared; elsewhere than on Windows, case tells programs apart."""
    return name.casefold().removesuffix(".exe") if sys.platform == "win32" else name


def _process_names() -> Iterator[str]:
    if PROC.joinpath("self/comm").exists():
        yield from _names_in_proc()
    elif sys.platform == "win32":
        yield from (row[0] for row in csv.reader(_lines("tasklist", "/fo", "csv", "/nh")) if row)
    else:
        yield from (line.rpartition("/")[2].strip() for line in _lines("ps", "-axo", "comm="))


def _names_in_proc() -> Iterator[str]:
    for process in PROC.iterdir():
        if process.name.isdigit():
            with suppress(OSError):  # it may have ended meanwhile
                yield process.joinpath("comm").read_text(encoding="utf-8", errors="replace").strip()


def _lines(*command: str) -> list[str]:
    try:
        ran = subprocess.run(  # noqa: S603 - programs of the system, with fixed arguments
            command, capture_output=True, timeout=SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return ran.stdout.decode(errors="replace").splitlines()
