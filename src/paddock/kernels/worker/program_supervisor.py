"""The guard of a program that is no interpreter of ours: starts it, and ends all that it left.

What the program prints goes where the guard's standard output leads. How it ended is told on the
standard error, as JSON. When the standard input closes, since the server has had enough or is gone,
everything ends. Imported in child processes: standard library only.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NoReturn

from paddock.kernels import sandbox
from paddock.kernels.child.process_tree import (
    adopt_orphans,
    kill_descendants,
    kill_tree,
    list_descendants,
    reap_children,
)

_POLL_INTERVAL_SECONDS = 0.05
_MEMORY_CHECK_TICKS = 4
"""Memory is looked at after so many ticks."""


def main() -> NoReturn:
    """Guard the program that the settings name."""
    settings = json.loads(sys.argv[1])
    sandbox.enter_sandbox(network=settings["network"])
    adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    told = _supervise_program(settings)
    os.write(2, json.dumps(told).encode())
    sys.stdout = sys.stderr = None
    os._exit(0)


def _supervise_program(settings: dict[str, Any]) -> dict[str, Any]:
    try:
        process = subprocess.Popen(  # noqa: S603 - what the server wants started
            settings["command"],
            cwd=settings["directory"],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        fault = f"{error.strerror or error}: {error.filename or ''}"
        return {"cause": "not-started", "fault": fault}
    told = _wait_for_end(process.pid, settings["memory_bytes"])
    kill_tree(process.pid)
    kill_descendants()
    process.returncode = told.get("code", 0)
    return told


def _wait_for_end(child: int, memory_bytes: int | None) -> dict[str, Any]:
    """Wait for the program to end, for the server to have had enough, or for a limit."""
    begun = time.monotonic()
    ticks = 0
    while True:
        closed, _, _ = select.select([0], [], [], _POLL_INTERVAL_SECONDS)
        for pid, status in reap_children():
            if pid == child:
                code = os.waitstatus_to_exitcode(status)
                return {"code": code, "seconds": time.monotonic() - begun}
        if closed:
            return {"cause": "stopped"}
        ticks += 1
        if memory_bytes and ticks % _MEMORY_CHECK_TICKS == 0 and _measure_memory() > memory_bytes:
            return {"cause": "memory"}


def _measure_memory() -> int:
    """Bytes that all processes below this one have in memory; shared ones count for each."""
    pages = 0
    for pid in list_descendants(os.getpid()):
        try:
            words = Path(f"/proc/{pid}/statm").read_text().split()
        except OSError:
            continue
        pages += int(words[1]) - int(words[2])
    return pages * os.sysconf("SC_PAGE_SIZE")
