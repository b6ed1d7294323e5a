"""Supervisor process for an external program: starts it, enforces limits, cleans up after it.

The program inherits the supervisor's standard output. The supervisor reports the exit status as
JSON on standard error, and ends all processes when its standard input is closed, which happens when
the server stops the program or is gone. It imports only the standard library.
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
    kill_descendants,
    kill_tree,
    list_descendants,
    reap_children,
)

_POLL_INTERVAL_SECONDS = 0.05
_MEMORY_CHECK_TICKS = 4
"""Measuring memory reads one file per process, so it happens only on every fourth poll."""


def main() -> NoReturn:
    """Run a program in the sandbox, and report its exit on standard error.

    The first argument in `sys.argv` contains the settings as a JSON object: the command, the
    directory, the memory limit, and whether network access is allowed.
    """
    settings = json.loads(sys.argv[1])
    sandbox.enter_sandbox(network=settings["network"])
    sandbox.adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    report = _supervise_program(settings)
    os.write(2, json.dumps(report).encode())
    # os._exit skips the interpreter's shutdown, which might wait for a thread or a pipe.
    sys.stdout = sys.stderr = None
    os._exit(0)


def _supervise_program(settings: dict[str, Any]) -> dict[str, Any]:
    """Run a program until it ends or must be stopped, and return the report for the server.

    The report contains the exit `code` and the duration, or the `cause` if there is no exit code.
    Afterwards, all of the program's processes are killed, including those in the background.

    Args:
        settings: The program settings; see `main`.
    """
    try:
        process = subprocess.Popen(
            settings["command"],
            cwd=settings["directory"],
            stdin=subprocess.DEVNULL,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    except OSError as error:
        reason = f"{error.strerror or error}: {error.filename or ''}"
        return {"cause": "not-started", "fault": reason}
    report = _wait_for_end(process.pid, settings["memory_bytes"])
    kill_tree(process.pid)
    kill_descendants()
    # The process has been reaped already. Without an exit code, Popen would wait for its process
    # ID, which may have been reused by another process in the meantime.
    process.returncode = report.get("code", 0)
    return report


def _wait_for_end(child_pid: int, memory_bytes: int | None) -> dict[str, Any]:
    """Wait until a program ends or must be stopped, and return the report for the server.

    The program must be stopped if the server closes the connection, or if the total memory usage of
    its processes exceeds the limit.

    Args:
        child_pid: The program's process ID.
        memory_bytes: The memory limit, or None for no limit.
    """
    started_at = time.monotonic()
    ticks = 0
    while True:
        closed, _, _ = select.select([0], [], [], _POLL_INTERVAL_SECONDS)
        for pid, status in reap_children():
            if pid == child_pid:
                code = os.waitstatus_to_exitcode(status)
                return {"code": code, "seconds": time.monotonic() - started_at}
        # The server stops the program by closing this pipe. It is also closed when the server is
        # killed.
        if closed:
            return {"cause": "stopped"}
        ticks += 1
        if memory_bytes and ticks % _MEMORY_CHECK_TICKS == 0 and _measure_memory() > memory_bytes:
            return {"cause": "memory"}


def _measure_memory() -> int:
    """Return the memory used by all descendants of this process, in bytes.

    This is the resident memory, excluding pages shared between processes.
    """
    page_count = 0
    for pid in list_descendants(os.getpid()):
        try:
            # The fields are the total, resident and shared pages, among others.
            fields = Path(f"/proc/{pid}/statm").read_text().split()
        except OSError:
            continue
        page_count += int(fields[1]) - int(fields[2])
    return page_count * os.sysconf("SC_PAGE_SIZE")
