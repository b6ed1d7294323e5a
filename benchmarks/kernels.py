"""What a kernel costs over its engine: starting one, a round trip, resuming a session.

`python -m benchmarks.kernels` measures with woxi, and prints beside it what starting Mathics3 alone
takes, where that is installed. Times are wall time; the median of many calls counts, with pauses
between them as between those of a client. `--check` exits with code 1 unless the targets are met.
"""

import argparse
import importlib.util
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from paddock.directories import DATA_DIRECTORY_VARIABLE
from paddock.kernels.engine import Engine
from paddock.kernels.kernel import EvaluationLimits
from paddock.kernels.sessions import SessionManager
from paddock.kernels.wolfram.engines import find_woxi

CALLS = 300
STARTS = 10
PAUSE = 0.005
LIMITS = EvaluationLimits()
ENGINE_ALONE = """
import sys, time, woxi
times = []
for _ in range(300):
    begun = time.perf_counter()
    woxi.evaluate("1 + 1"); woxi.evaluate("ToString[%, InputForm]")
    times.append(time.perf_counter() - begun)
    time.sleep(0.005)
print(sorted(times)[150])
"""
MATHICS = """
from mathics.core.load_builtin import import_and_load_builtins
import_and_load_builtins()
from mathics.session import MathicsSession
MathicsSession().evaluate("1 + 1")
"""
ROUND_TRIP_TARGET = 0.002
RESUME_TARGET = 1.0
START_SHARE = 0.5


def timed(act: Callable[[], object]) -> float:
    """Seconds that something takes."""
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def median(act: Callable[[], object], *, count: int, pause: float = PAUSE) -> float:
    """The median of several times."""
    times = []
    for _ in range(count):
        times.append(timed(act))
        time.sleep(pause)
    return statistics.median(times)


def run_alone(program: str) -> str:
    """Run a program in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout


def start_and_close(engine: Engine) -> None:
    """A kernel from nothing to its first answer."""
    kernel = engine.start(LIMITS)
    kernel.evaluate("1 + 1", LIMITS)
    kernel.close()


def measure_sessions(engine: Engine, directory: Path) -> dict[str, float]:
    """Calls of a session, and its resumption by another server."""
    sessions = SessionManager(directory)
    with sessions.open_session("benchmark", engine) as session:
        session.evaluate('values = Range[10000]; f[x_] := x^2; text = "a";', LIMITS)

    def call() -> None:
        with sessions.open_session("benchmark", engine) as session:
            session.evaluate("1 + 1", LIMITS)

    found = {"call of a session": median(call, count=CALLS)}
    sessions.close()
    times = []
    for _ in range(STARTS):
        sessions = SessionManager(directory)
        begun = time.perf_counter()
        with sessions.open_session("benchmark", engine) as session:
            outcome = session.evaluate("Length[values]", LIMITS)
        times.append(time.perf_counter() - begun)
        if outcome.result != "10000":
            raise SystemExit(f"The session was not resumed rightly: {outcome}")
        sessions.close()
    found["resuming a session, to its first answer"] = statistics.median(times)
    return found


def measure(engine: Engine, directory: Path) -> dict[str, float]:
    """All times in seconds."""
    found = {"the engine alone": float(run_alone(ENGINE_ALONE))}
    kernel = engine.start(LIMITS)
    found["round trip of a kernel"] = median(lambda: kernel.evaluate("1 + 1", LIMITS), count=CALLS)
    kernel.close()
    found |= measure_sessions(engine, directory)
    starts = [timed(lambda: start_and_close(engine)) for _ in range(STARTS)]
    found["start, first answer and end"] = statistics.median(starts)
    if importlib.util.find_spec("mathics") is not None:
        found["starting Mathics3 alone"] = timed(lambda: run_alone(MATHICS))
    return found


def missed(found: dict[str, float]) -> list[str]:
    """Which targets are not met."""
    over = found["call of a session"] - found["the engine alone"]
    faults = []
    if over > ROUND_TRIP_TARGET:
        faults.append(f"a call takes {over * 1000:.2f} ms more than the engine")
    if found["resuming a session, to its first answer"] > RESUME_TARGET:
        faults.append("resuming takes more than a second")
    mathics = found.get("starting Mathics3 alone")
    if mathics is not None and found["start, first answer and end"] > mathics * START_SHARE:
        faults.append("starting takes more than half of what Mathics3 takes")
    return faults


def main() -> None:
    """Measure, and print a table."""
    options = argparse.ArgumentParser("python -m benchmarks.kernels", description=__doc__)
    options.add_argument("--check", action="store_true", help="fail unless targets are met")
    chosen = options.parse_args()
    engine = find_woxi()
    if not engine.location:
        raise SystemExit("woxi is not installed")
    with tempfile.TemporaryDirectory() as directory:
        os.environ[DATA_DIRECTORY_VARIABLE] = directory
        found = measure(engine, Path(directory, "sessions"))
    print("| what | ms |\n| --- | --- |")
    for name, seconds in found.items():
        print(f"| {name} | {seconds * 1000:.2f} |")
    faults = missed(found)
    print("\n".join(faults) or "\nAll targets are met.")
    if faults and chosen.check:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
