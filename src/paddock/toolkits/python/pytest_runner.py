"""What a test run is given: which tests, and the directory that their project begins in.

Runs tests with pytest, in a child process that leaves nothing behind.

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

from paddock.authoring.handler_errors import ToolError
from paddock.kernels.supervised_program import ProgramExit, SupervisedProgram
from paddock.toolkits.paths import get_working_directory, resolve_path
from paddock.toolkits.python.pytest_events import EventFileReader, PythonTestRun

if TYPE_CHECKING:
    from paddock.authoring.context import Context


_SEPARATOR_PATTERN = re.compile(r",(?![^\[]*\])")
"""Not one in the parameters of a test: `test_sum[1,2]`."""
_PROJECT_MARKERS = ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "setup.py", ".git")


class PythonTestsNotFoundError(ToolError):
    """There are no such tests."""

    code = "python-tests-not-found"


class PytestTargets(NamedTuple):
    """What to run, and where."""

    arguments: list[str]
    """Paths, and names of single tests, as pytest takes them; none for all that the project has."""
    directory: Path
    """Where the run begins: the directory of the project."""
    interpreter_directory: Path
    """Where the interpreter is looked for first."""


def resolve_targets(paths: str, ctx: Context) -> PytestTargets:
    """The tests that an argument names.

    Raises:
        PythonTestsNotFoundError: when there is no such file or directory.
        FolderError: when it lies where tools may not go.
    """
    top = get_working_directory(ctx)
    arguments: list[str] = []
    places: list[Path] = []
    for given in (part.strip() for part in _SEPARATOR_PATTERN.split(paths)):
        if not given:
            continue
        path, separator, test = given.partition("::")
        place = resolve_path(path, ctx)
        if not place.exists():
            raise PythonTestsNotFoundError(
                f"There is no file or directory {path}",
                where=str(place),
                hint="relative paths begin in the directory that the client works in",
            )
        arguments.append(f"{place}{separator}{test}")
        places.append(place)
    if not places:
        return PytestTargets([], top, top)
    near = places[0] if places[0].is_dir() else places[0].parent
    return PytestTargets(arguments, _find_project_directory(near, top), near)


def _find_project_directory(near: Path, top: Path) -> Path:
    """The directory of the project that a directory belongs to."""
    for folder in (near, *near.parents):
        if any((folder / mark).exists() for mark in _PROJECT_MARKERS):
            return folder
        if folder == top:
            break
    return top if near.is_relative_to(top) else near


if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.toolkits.python.interpreters import PythonInterpreter

    IsCancelled = Callable[[], bool]
    OnProgress = Callable[[PythonTestRun], None]

SETTINGS_VARIABLE = "PADDOCK_TEST_SETTINGS"
_SCRIPTS_DIRECTORY = Path(__file__).with_name("project_scripts")
_PYTEST_SCRIPT = _SCRIPTS_DIRECTORY / "paddock_run_pytest.py"
_NO_PYTEST_STATUS = 90
_USAGE_ERROR_STATUS, _NO_TESTS_STATUS = 4, 5
_INTERNAL_PATH_PATTERN = re.compile(r"[\\/](_pytest|pluggy|pytest|project_scripts)[\\/]")
_PYTEST_ARGUMENTS = (
    *("-p", "paddock_test_events"),
    *("--color=no", "--tb=short", "--continue-on-collection-errors"),
)
_POLL_SECONDS = 0.05
_STOP_GRACE_SECONDS = 5.0
"""How long a test may go on that our plugin has told to stop."""
_EXIT_GRACE_SECONDS = 15.0
"""How long the process may take to end after the last test."""
_MAX_ATTEMPTS = 8
_OUTPUT_TAIL_CHARACTERS = 4_000


class PytestError(ToolError):
    """Pytest does not run: there is none, or it refuses what it is told."""

    code = "pytest"


class NoPythonTestsError(ToolError):
    """There is nothing to run."""

    code = "no-python-tests"


class PytestLimits(NamedTuple):
    """What a run may take."""

    total_seconds: float
    seconds_per_test: float
    memory_bytes: int
    network: bool


@dataclass(slots=True)
class PytestResult:
    """A run that is over."""

    tests: PythonTestRun
    seconds: float
    notes: list[str] = field(default_factory=list)
    has_other_failure: bool = False
    """Whether something besides the tests failed."""


class PytestRunner:
    """Runs tests, anew for those that are left when one has ended the process."""

    def __init__(
        self,
        targets: PytestTargets,
        selection: list[str],
        interpreter: PythonInterpreter,
        limits: PytestLimits,
        private: Path,
    ) -> None:
        self._targets = targets
        self._selection = selection
        self._interpreter = interpreter
        self._limits = limits
        self._work_directory = private
        self._test_run = PythonTestRun()
        self._notes: list[str] = []
        self._has_other_failure = False
        self._event_reader = EventFileReader(private / "events")
        self._started_at = time.monotonic()

    def run(self, is_cancelled: IsCancelled, on_test: OnProgress) -> PytestResult:
        """Run all that can be run.

        Raises:
            PytestError: when pytest does not.
            NoPythonTestsError: when there are no tests.
        """
        for _ in range(_MAX_ATTEMPTS):
            if not self._run_attempt(is_cancelled, on_test) or is_cancelled():
                break
            if (
                self._get_remaining_seconds() <= 0
                or self._test_run.finished_count >= self._test_run.total_count
            ):
                break
        seconds = time.monotonic() - self._started_at
        return PytestResult(self._test_run, seconds, self._notes, self._has_other_failure)

    def _get_remaining_seconds(self) -> float:
        return self._started_at + self._limits.total_seconds - time.monotonic()

    def _run_attempt(self, is_cancelled: IsCancelled, on_test: OnProgress) -> bool:
        """Run what is left; whether that ended before its end, and there is more to run."""
        done = [name for name, case in self._test_run.cases.items() if case.is_finished]
        (self._work_directory / "done").write_text(json.dumps(done), encoding="utf-8")
        self._test_run.end_event = None
        with self._start_process() as program:
            ended = self._wait_for_process(program, is_cancelled, on_test)
        self._event_reader.read_events(self._test_run)
        on_test(self._test_run)
        if is_cancelled():
            return False
        if self._test_run.end_event is not None:
            self._record_end(ended, program.output)
            return False
        return self._record_abrupt_end(ended, program.output)

    def _start_process(self) -> SupervisedProgram:
        settings = {
            "arguments": [*_PYTEST_ARGUMENTS, *self._selection, *self._targets.arguments],
            "plugin": str(_SCRIPTS_DIRECTORY),
            "lent": _find_own_pytest(),
        }
        told = {
            "events": str(self._work_directory / "events"),
            "done": str(self._work_directory / "done"),
            "test_seconds": self._limits.seconds_per_test,
        }
        return SupervisedProgram(
            [str(self._interpreter.path), str(_PYTEST_SCRIPT), json.dumps(settings)],
            self._targets.directory,
            variables=self._build_environment() | {SETTINGS_VARIABLE: json.dumps(told)},
            network=self._limits.network,
            memory_bytes=self._limits.memory_bytes,
        )

    def _build_environment(self) -> dict[str, str]:
        """What an activated environment has."""
        programs = str(self._interpreter.path.parent)
        found = {"PATH": os.pathsep.join([programs, os.environ.get("PATH", os.defpath)])}
        if (self._interpreter.prefix / "pyvenv.cfg").is_file():
            found["VIRTUAL_ENV"] = str(self._interpreter.prefix)
        return found

    def _wait_for_process(
        self, program: SupervisedProgram, is_cancelled: IsCancelled, on_test: OnProgress
    ) -> ProgramExit:
        """Wait until the program ends, or has to be ended."""
        leave_until = float("inf")
        while True:
            ended = program.wait(_POLL_SECONDS)
            if self._event_reader.read_events(self._test_run):
                on_test(self._test_run)
            if ended is not None:
                return ended
            now = time.monotonic()
            if self._test_run.end_event is not None:
                leave_until = min(leave_until, now + _EXIT_GRACE_SECONDS)
            if now > leave_until:
                self._notes.append("The process did not end after the last test, and was ended.")
                return program.stop()
            if is_cancelled() or self._get_remaining_seconds() <= 0 or self._is_test_stuck(now):
                return program.stop()

    def _is_test_stuck(self, now: float) -> bool:
        most = self._limits.seconds_per_test + _STOP_GRACE_SECONDS
        return any(now > case.started_at + most for case in self._test_run.running_cases)

    def _record_end(self, ended: ProgramExit, output: str) -> None:
        """Take note of what pytest itself says of the run."""
        end = self._test_run.end_event or {}
        status = end.get("status")
        for case in self._test_run.running_cases:
            case.is_finished, case.outcome = True, "failed"
            told = f"{case.name.rpartition('::')[2]} ended the run before it was over itself"
            case.failures.append(
                {"message": told, "output": [("Output", extract_crash_text(output))]}
            )
        if end.get("reason"):
            self._notes.append(f"pytest stopped early: {end['reason']}.")
        if (
            status == _NO_TESTS_STATUS
            and not self._test_run.cases
            and not self._test_run.collect_errors
        ):
            raise NoPythonTestsError(
                "pytest found no tests",
                hint=_get_output_tail(output) or "name files that have some",
            )
        if status == _USAGE_ERROR_STATUS and not self._test_run.cases:
            raise PytestError("pytest did not run any test", hint=_get_output_tail(output))
        failed = self._test_run.collect_errors or any(
            case.outcome == "failed" for case in self._test_run.cases.values()
        )
        if ended.code and status in (0, 1) and not failed:
            self._has_other_failure = True
            self._notes.append(f"No test failed, but pytest ended with status {ended.code}.")
            self._notes += _quote_output(output)
        elif status not in (0, 1, 2, _NO_TESTS_STATUS):
            self._has_other_failure = True
            self._notes.append(f"pytest failed with status {status}.")
            self._notes += _quote_output(output)

    def _record_abrupt_end(self, ended: ProgramExit, output: str) -> bool:
        """Take note of an attempt that was cut short; whether to make another one."""
        if ended.code == _NO_PYTEST_STATUS:
            raise PytestError(
                f"{self._interpreter.path} has no pytest, and ours cannot be lent to it",
                hint=f"{self._interpreter.path} -m pip install pytest",
            )
        if not self._test_run.begin_event:
            raise PytestError(
                f"pytest did not start: {_describe_exit(ended)}", hint=_get_output_tail(output)
            )
        if self._test_run.broken_test:
            self._record_broken_test(self._test_run.broken_test)
            self._test_run.broken_test = ""
            return True
        running = self._test_run.running_cases
        self._has_other_failure = True
        reason = self._describe_end(ended)
        for case in running:
            case.is_finished, case.outcome = True, "failed"
            case.seconds = time.monotonic() - case.started_at
            stopped = case.stop_event or {}
            case.failures.append(
                {
                    "error": "",
                    "message": f"{case.name.rpartition('::')[2]} {reason}",
                    "text": str(stopped.get("stack", "")),
                    "output": [["Output", extract_crash_text(output)]],
                }
            )
        if not running:
            self._notes.append(f"The run ended between tests: it {reason}.")
            self._notes += _quote_output(output)
        return bool(running) and self._get_remaining_seconds() > 0

    def _record_broken_test(self, name: str) -> None:
        """Take note of a test after which pytest could not go on in its process."""
        case = self._test_run.cases.get(name)
        told = "closed the files that pytest needs"
        if case is not None and not case.is_finished:
            case.is_finished, case.outcome = True, "failed"
            case.failures.append({"message": f"{name.rpartition('::')[2]} {told}"})
        self._notes.append(f"{name} {told}; the rest ran in a new process.")

    def _describe_end(self, ended: ProgramExit) -> str:
        """What became of the tests that were running."""
        if ended.cause == "memory":
            return f"was ended: it took more than {self._limits.memory_bytes >> 20} MB of memory"
        if ended.cause == "stopped":
            if self._get_remaining_seconds() <= 0:
                return (
                    f"did not end: the time for the run, {self._limits.total_seconds:g} s, was up"
                )
            return f"was ended: it did not stop after {self._limits.seconds_per_test:g} s"
        return f"ended the process: {_describe_exit(ended)}"


def _find_own_pytest() -> list[str]:
    """Where our own pytest and what it needs are; not imported here."""
    found = [find_spec(name) for name in ("pytest", "pluggy", "iniconfig", "packaging", "pygments")]
    places = [str(Path(spec.origin).parent.parent) for spec in found if spec and spec.origin]
    return list(dict.fromkeys(places)) if len(places) == len(found) else []


def _describe_exit(ended: ProgramExit) -> str:
    if ended.cause == "lost":
        return "it killed the process that guards it"
    if ended.code is None:
        return "it was ended"
    if ended.code < 0:
        return signal.Signals(-ended.code).name
    return f"exit code {ended.code}"


def extract_crash_text(output: str) -> str:
    """What Python told of a crash, without the calls of pytest itself."""
    at = max(output.find("Fatal Python error"), output.find("Traceback (most recent"))
    if at < 0:
        return ""
    told, _, _ = output[at:].partition("\n\nExtension modules:")
    lines = [line for line in told.splitlines() if not _INTERNAL_PATH_PATTERN.search(line)]
    return "\n".join(lines)[:_OUTPUT_TAIL_CHARACTERS].strip()


def _get_output_tail(output: str) -> str:
    return output.strip()[-_OUTPUT_TAIL_CHARACTERS:]


def _quote_output(output: str) -> list[str]:
    """The end of what pytest printed, in one line of a list."""
    lines = [line for line in _get_output_tail(output).splitlines() if line.strip()][-5:]
    return [f"It said: {' / '.join(lines)}"] if lines else []
