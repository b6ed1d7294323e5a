"""Runs tests with pytest, in a child process that leaves nothing behind.

A test that hangs is stopped by our plugin. One that cannot be stopped, or that ends the process,
ends the attempt, and another attempt runs the tests that are left.
"""

from __future__ import annotations

import json
import os
import re
import signal
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from paddock.authoring.failures import ToolError
from paddock.kernels.guarded import Ended, GuardedProgram
from paddock.toolkits.python.test_events import EventFile, PythonTestRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.toolkits.python.interpreters import Interpreter
    from paddock.toolkits.python.test_targets import Targets

    IsCancelled = Callable[[], bool]
    OnTest = Callable[[PythonTestRun], None]

VARIABLE = "PADDOCK_TEST_SETTINGS"
_IN_TESTS = Path(__file__).with_name("in_project")
_PROGRAM = _IN_TESTS / "paddock_run_pytest.py"
_NO_PYTEST = 90
_REFUSED, _NO_TESTS = 4, 5
_MACHINERY = re.compile(r"[\\/](_pytest|pluggy|pytest|in_project)[\\/]")
_ARGUMENTS = (
    *("-p", "paddock_test_events"),
    *("--color=no", "--tb=short", "--continue-on-collection-errors"),
)
_TICK = 0.05
_KILL_SECONDS = 5.0
"""How long a test may go on that our plugin has told to stop."""
_LEAVE_SECONDS = 15.0
"""How long the process may take to end after the last test."""
_MOST_ATTEMPTS = 8
_OUTPUT_TAIL = 4_000


class PytestError(ToolError):
    """Pytest does not run: there is none, or it refuses what it is told."""

    code = "pytest"


class NoPythonTestsError(ToolError):
    """There is nothing to run."""

    code = "no-python-tests"


class RunLimits(NamedTuple):
    """What a run may take."""

    seconds: float
    test_seconds: float
    memory_bytes: int
    network: bool


@dataclass(slots=True)
class FinishedRun:
    """A run that is over."""

    tests: PythonTestRun
    seconds: float
    notes: list[str] = field(default_factory=list)
    is_broken: bool = False
    """Whether something besides the tests failed."""


class Attempts:
    """Runs tests, anew for those that are left when one has ended the process."""

    def __init__(
        self,
        targets: Targets,
        selection: list[str],
        interpreter: Interpreter,
        limits: RunLimits,
        private: Path,
    ) -> None:
        self._targets = targets
        self._selection = selection
        self._interpreter = interpreter
        self._limits = limits
        self._private = private
        self._tests = PythonTestRun()
        self._notes: list[str] = []
        self._is_broken = False
        self._events = EventFile(private / "events")
        self._begun = time.monotonic()

    def run(self, is_cancelled: IsCancelled, on_test: OnTest) -> FinishedRun:
        """Run all that can be run.

        Raises:
            PytestError: when pytest does not.
            NoPythonTestsError: when there are no tests.
        """
        for _ in range(_MOST_ATTEMPTS):
            if not self._attempt(is_cancelled, on_test) or is_cancelled():
                break
            if self._left_seconds() <= 0 or self._tests.done >= self._tests.total:
                break
        seconds = time.monotonic() - self._begun
        return FinishedRun(self._tests, seconds, self._notes, self._is_broken)

    def _left_seconds(self) -> float:
        return self._begun + self._limits.seconds - time.monotonic()

    def _attempt(self, is_cancelled: IsCancelled, on_test: OnTest) -> bool:
        """Run what is left; whether that ended before its end, and there is more to run."""
        done = [name for name, case in self._tests.cases.items() if case.is_over]
        (self._private / "done").write_text(json.dumps(done), encoding="utf-8")
        self._tests.end = None
        with self._start() as program:
            ended = self._watch(program, is_cancelled, on_test)
        self._events.read_into(self._tests)
        on_test(self._tests)
        if is_cancelled():
            return False
        if self._tests.end is not None:
            self._take_end(ended, program.output)
            return False
        return self._take_abrupt_end(ended, program.output)

    def _start(self) -> GuardedProgram:
        settings = {
            "arguments": [*_ARGUMENTS, *self._selection, *self._targets.arguments],
            "plugin": str(_IN_TESTS),
            "lent": _own_pytest(),
        }
        told = {
            "events": str(self._private / "events"),
            "done": str(self._private / "done"),
            "test_seconds": self._limits.test_seconds,
        }
        return GuardedProgram(
            [str(self._interpreter.path), str(_PROGRAM), json.dumps(settings)],
            self._targets.directory,
            variables=self._variables() | {VARIABLE: json.dumps(told)},
            network=self._limits.network,
            memory_bytes=self._limits.memory_bytes,
        )

    def _variables(self) -> dict[str, str]:
        """What an activated environment has."""
        programs = str(self._interpreter.path.parent)
        found = {"PATH": os.pathsep.join([programs, os.environ.get("PATH", os.defpath)])}
        if (self._interpreter.prefix / "pyvenv.cfg").is_file():
            found["VIRTUAL_ENV"] = str(self._interpreter.prefix)
        return found

    def _watch(self, program: GuardedProgram, is_cancelled: IsCancelled, on_test: OnTest) -> Ended:
        """Wait until the program ends, or has to be ended."""
        leave_until = float("inf")
        while True:
            ended = program.wait(_TICK)
            if self._events.read_into(self._tests):
                on_test(self._tests)
            if ended is not None:
                return ended
            now = time.monotonic()
            if self._tests.end is not None:
                leave_until = min(leave_until, now + _LEAVE_SECONDS)
            if now > leave_until:
                self._notes.append("The process did not end after the last test, and was ended.")
                return program.stop()
            if is_cancelled() or self._left_seconds() <= 0 or self._is_stuck(now):
                return program.stop()

    def _is_stuck(self, now: float) -> bool:
        most = self._limits.test_seconds + _KILL_SECONDS
        return any(now > case.begun + most for case in self._tests.running)

    def _take_end(self, ended: Ended, output: str) -> None:
        """Take note of what pytest itself says of the run."""
        end = self._tests.end or {}
        status = end.get("status")
        for case in self._tests.running:
            case.is_over, case.outcome = True, "failed"
            told = f"{case.name.rpartition('::')[2]} ended the run before it was over itself"
            case.failures.append({"message": told, "output": [("Output", crash_text(output))]})
        if end.get("reason"):
            self._notes.append(f"pytest stopped early: {end['reason']}.")
        if status == _NO_TESTS and not self._tests.cases and not self._tests.collect_errors:
            raise NoPythonTestsError(
                "pytest found no tests", hint=_tail(output) or "name files that have some"
            )
        if status == _REFUSED and not self._tests.cases:
            raise PytestError("pytest did not run any test", hint=_tail(output))
        failed = self._tests.collect_errors or any(
            case.outcome == "failed" for case in self._tests.cases.values()
        )
        if ended.code and status in (0, 1) and not failed:
            self._is_broken = True
            self._notes.append(f"No test failed, but pytest ended with status {ended.code}.")
            self._notes += _quoted(output)
        elif status not in (0, 1, 2, _NO_TESTS):
            self._is_broken = True
            self._notes.append(f"pytest failed with status {status}.")
            self._notes += _quoted(output)

    def _take_abrupt_end(self, ended: Ended, output: str) -> bool:
        """Take note of an attempt that was cut short; whether to make another one."""
        if ended.code == _NO_PYTEST:
            raise PytestError(
                f"{self._interpreter.path} has no pytest, and ours cannot be lent to it",
                hint=f"{self._interpreter.path} -m pip install pytest",
            )
        if not self._tests.begin:
            raise PytestError(f"pytest did not start: {_how(ended)}", hint=_tail(output))
        if self._tests.broken:
            self._take_broken(self._tests.broken)
            self._tests.broken = ""
            return True
        running = self._tests.running
        self._is_broken = True
        reason = self._reason(ended)
        for case in running:
            case.is_over, case.outcome = True, "failed"
            case.seconds = time.monotonic() - case.begun
            stopped = case.stopped or {}
            case.failures.append(
                {
                    "error": "",
                    "message": f"{case.name.rpartition('::')[2]} {reason}",
                    "text": str(stopped.get("stack", "")),
                    "output": [["Output", crash_text(output)]],
                }
            )
        if not running:
            self._notes.append(f"The run ended between tests: it {reason}.")
            self._notes += _quoted(output)
        return bool(running) and self._left_seconds() > 0

    def _take_broken(self, name: str) -> None:
        """Take note of a test after which pytest could not go on in its process."""
        case = self._tests.cases.get(name)
        told = "closed the files that pytest needs"
        if case is not None and not case.is_over:
            case.is_over, case.outcome = True, "failed"
            case.failures.append({"message": f"{name.rpartition('::')[2]} {told}"})
        self._notes.append(f"{name} {told}; the rest ran in a new process.")

    def _reason(self, ended: Ended) -> str:
        """What became of the tests that were running."""
        if ended.cause == "memory":
            return f"was ended: it took more than {self._limits.memory_bytes >> 20} MB of memory"
        if ended.cause == "stopped":
            if self._left_seconds() <= 0:
                return f"did not end: the time for the run, {self._limits.seconds:g} s, was up"
            return f"was ended: it did not stop after {self._limits.test_seconds:g} s"
        return f"ended the process: {_how(ended)}"


def _own_pytest() -> list[str]:
    """Where our own pytest and what it needs are; not imported here."""
    found = [find_spec(name) for name in ("pytest", "pluggy", "iniconfig", "packaging", "pygments")]
    places = [str(Path(spec.origin).parent.parent) for spec in found if spec and spec.origin]
    return list(dict.fromkeys(places)) if len(places) == len(found) else []


def _how(ended: Ended) -> str:
    if ended.cause == "lost":
        return "it killed the process that guards it"
    if ended.code is None:
        return "it was ended"
    if ended.code < 0:
        return signal.Signals(-ended.code).name
    return f"exit code {ended.code}"


def crash_text(output: str) -> str:
    """What Python told of a crash, without the calls of pytest itself."""
    at = max(output.find("Fatal Python error"), output.find("Traceback (most recent"))
    if at < 0:
        return ""
    told, _, _ = output[at:].partition("\n\nExtension modules:")
    lines = [line for line in told.splitlines() if not _MACHINERY.search(line)]
    return "\n".join(lines)[:_OUTPUT_TAIL].strip()


def _tail(output: str) -> str:
    return output.strip()[-_OUTPUT_TAIL:]


def _quoted(output: str) -> list[str]:
    """The end of what pytest printed, in one line of a list."""
    lines = [line for line in _tail(output).splitlines() if line.strip()][-5:]
    return [f"It said: {' / '.join(lines)}"] if lines else []
