"""What Linux knows about a running process: its memory, its CPU time, where it may run."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SETTLE_STEP_SECONDS = 0.1
SETTLE_STEPS = 20


def resident_megabytes(pid: int) -> float:
    """The resident memory of a process, in units of 1024 * 1024 bytes."""
    for line in Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    raise ProcessLookupError(pid)


def settled_megabytes(pid: int) -> float:
    """The resident memory of a process once it has stopped to change."""
    before = resident_megabytes(pid)
    for _ in range(SETTLE_STEPS):
        time.sleep(SETTLE_STEP_SECONDS)
        now = resident_megabytes(pid)
        if now == before:
            break
        before = now
    return before


def cpu_seconds(pid: int) -> float:
    """The CPU time that all threads of a process have used."""
    # The kernel's clock id of another process. /proc/<pid>/stat has the same figure, but in ticks
    # of 10 ms, which is as long as a thousand calls of a fast server.
    return time.clock_gettime((~pid << 3) | 2)


@contextmanager
def on_one_cpu(pid: int) -> Iterator[None]:
    """Keep this process and another one on the same CPU."""
    allowed = os.sched_getaffinity(0)
    _allow(pid, {min(allowed)})
    try:
        yield
    finally:
        _allow(pid, allowed)


def _allow(pid: int, cpus: set[int]) -> None:
    os.sched_setaffinity(0, cpus)
    for thread in Path(f"/proc/{pid}/task").glob("*"):
        try:
            os.sched_setaffinity(int(thread.name), cpus)
        except ProcessLookupError:
            continue  # the thread has ended since it was listed
