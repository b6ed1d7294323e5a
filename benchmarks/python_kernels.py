"""What evaluating Python costs over the code itself, beside ipykernel through jupyter_client.

`python -m benchmarks.python_kernels` measures, in turns, from nothing to a kernel's first answer
with either; and warm calls of the tool `PythonEvaluator` by a client over standard input and
output, of a session, and of a kernel, with pauses between them as between those of a client. The
code is `1 + 1`, whose own time is nothing. Times are wall time; the median counts. `--check` exits
with code 1 unless the targets are met.
"""

import argparse
import os
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from jupyter_client.manager import start_new_kernel

from paddock import Peer, connect
from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.kernels.engine import Engine
from paddock.kernels.kernel import EvaluationLimits
from paddock.kernels.python_engine import make_python_engine
from paddock.kernels.sessions import SessionManager

CALLS = 300
STARTS = 15
PAUSE = 0.005
LIMITS = EvaluationLimits()
CODE = "1 + 1"
OVERHEAD_TARGET = 0.002
START_TARGET = 8


def timed(act: Callable[[], object]) -> float:
    """Seconds that something takes."""
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def median(act: Callable[[], object]) -> float:
    """The median of many times."""
    times = []
    for _ in range(CALLS):
        times.append(timed(act))
        time.sleep(PAUSE)
    return statistics.median(times)


def start_ours(engine: Engine) -> float:
    """From nothing to the first answer."""
    begun = time.perf_counter()
    kernel = engine.start(LIMITS)
    outcome = kernel.evaluate(CODE, LIMITS)
    seconds = time.perf_counter() - begun
    kernel.close()
    if outcome.result != "2":
        raise SystemExit(f"The kernel answered {outcome}")
    return seconds


def start_ipykernel() -> float:
    """The same through jupyter_client."""
    results: list[str] = []

    def take(message: dict[str, dict[str, dict[str, str]]]) -> None:
        if "data" in message["content"]:
            results.append(message["content"]["data"]["text/plain"])

    begun = time.perf_counter()
    manager, client = start_new_kernel(kernel_name="python3", stderr=open(os.devnull, "w"))  # noqa: SIM115, PTH123 - the kernel's
    client.execute_interactive(CODE, output_hook=take, timeout=60)
    seconds = time.perf_counter() - begun
    client.stop_channels()
    manager.shutdown_kernel(now=True)
    if results != ["2"]:
        raise SystemExit(f"ipykernel answered {results}")
    return seconds


def measure_tool(peer: Peer) -> float:
    """A call of the tool, in a session."""
    first = peer.call("PythonEvaluator", code=CODE).text
    session = re.search(r'session="(\w+)"', first)
    if session is None or "Out[1]: 2" not in first:
        raise SystemExit(f"The tool answered {first}")
    return median(lambda: peer.call("PythonEvaluator", code=CODE, session=session[1]))


def measure(engine: Engine, directory: Path) -> dict[str, float]:
    """All times in seconds."""
    ours, theirs = [], []
    for _ in range(STARTS):
        ours.append(start_ours(engine))
        theirs.append(start_ipykernel())
    found = {
        "from nothing to the first answer": statistics.median(ours),
        "the same with ipykernel": statistics.median(theirs),
    }
    with connect([sys.executable, "-m", "paddock", "serve", "Python"]) as peer:
        found["call of the tool"] = measure_tool(peer)
    sessions = SessionManager(directory)

    def call() -> None:
        with sessions.open_session("benchmark", engine) as session:
            session.evaluate(CODE, LIMITS)

    found["call of a session"] = median(call)
    sessions.close()
    kernel = engine.start(LIMITS)
    found["round trip of a kernel"] = median(lambda: kernel.evaluate(CODE, LIMITS))
    kernel.close()
    return found


def missed(found: dict[str, float]) -> list[str]:
    """Which targets are not met."""
    faults = []
    ratio = found["the same with ipykernel"] / found["from nothing to the first answer"]
    if ratio < START_TARGET:
        faults.append(f"a kernel starts {ratio:.1f} times as fast as ipykernel")
    over = found["call of the tool"]
    if over > OVERHEAD_TARGET:
        faults.append(f"a call takes {over * 1000:.2f} ms more than the code")
    return faults


def main() -> None:
    """Measure, and print a table."""
    options = argparse.ArgumentParser("python -m benchmarks.python_kernels", description=__doc__)
    options.add_argument("--check", action="store_true", help="fail unless targets are met")
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        os.environ[DATA_DIRECTORY_VARIABLE] = directory
        engine = make_python_engine(
            sys.executable, ".".join(map(str, sys.version_info[:3])), directory
        )
        found = measure(engine, Path(directory, "sessions"))
    print("| what | ms |\n| --- | --- |")
    for name, seconds in found.items():
        print(f"| {name} | {seconds * 1000:.2f} |")
    ratio = found["the same with ipykernel"] / found["from nothing to the first answer"]
    print(f"\nA kernel starts {ratio:.1f} times as fast as ipykernel.")
    faults = missed(found)
    print("\n".join(faults) or "All targets are met.")
    if faults and chosen.check:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
