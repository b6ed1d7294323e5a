"""What Linux knows about a running process: its memory, its CPU time, where it may run."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SETTLE_STEP_SECONDS = 0.1
SETTLE_STEPS = 20


def family(pid: int) -> list[int]:
    """A process and those that it has started, and they in turn."""
    found = [pid]
    for parent in found:
        for thread in Path(f"/proc/{parent}/task").glob("*/children"):
            found += map(int, thread.read_text(encoding="ascii").split())
    return found


def resident_megabytes(pid: int) -> float:
    """The resident memory of a process and those it has started, in units of 1024 * 1024 bytes."""
    return sum(map(_own_megabytes, family(pid)))


def _own_megabytes(pid: int) -> float:
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
    """Keep this process and another one, with those it has started, on the same CPU."""
    allowed = os.sched_getaffinity(0)
    _allow(pid, {min(allowed)})
    try:
        yield
    finally:
        _allow(pid, allowed)


def _allow(pid: int, cpus: set[int]) -> None:
    os.sched_setaffinity(0, cpus)
    threads = [
        thread for member in family(pid) for thread in Path(f"/proc/{member}/task").iterdir()
    ]
    for thread in threads:
        try:
            os.sched_setaffinity(int(thread.name), cpus)
        except ProcessLookupError:
            continue  # the thread has ended since it was listed
