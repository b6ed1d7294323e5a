"""Pytest runs in a supervised child process with the project's interpreter.

A plugin in that process stops tests that exceed their time limit. If a test cannot be stopped or
ends the process, the attempt is over and the remaining tests run in another process.
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
from paddock.toolkits.paths import get_working_directory, require_path
from paddock.toolkits.python.interpreters import PythonInterpreter
from paddock.toolkits.python.pytest_events import EventFileReader, PythonTestRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.context import Context

    IsCancelled = Callable[[], bool]
    OnProgress = Callable[[PythonTestRun], None]

_SCRIPTS_DIRECTORY = Path(__file__).with_name("project_scripts")
_PYTEST_SCRIPT = _SCRIPTS_DIRECTORY / "paddock_run_pytest.py"

# A comma inside brackets belongs to a test's parameters, as in `test_sum[1,2]`.
_SEPARATOR_PATTERN = re.compile(r",(?![^\[]*\])")
_PROJECT_MARKERS = ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "setup.py", ".git")
SETTINGS_VARIABLE = "PADDOCK_TEST_SETTINGS"
_NO_PYTEST_STATUS = 90
_USAGE_ERROR_STATUS, _NO_TESTS_STATUS = 4, 5
_INTERNAL_PATH_PATTERN = re.compile(r"[\\/](_pytest|pluggy|pytest|project_scripts)[\\/]")
_PYTEST_ARGUMENTS = (
    *("-p", "paddock_test_events"),
    # Collection errors must not hide the results of the other files.
    *("--color=no", "--tb=short", "--continue-on-collection-errors"),
)
_POLL_SECONDS = 0.05
# Grace periods before the process is killed: after a test should have stopped, and after the last
# test.
_STOP_GRACE_SECONDS = 5.0
_EXIT_GRACE_SECONDS = 15.0
# Each attempt sets up the session fixtures again. The limit stops suites that crash repeatedly.
_MAX_ATTEMPTS = 8
_OUTPUT_TAIL_CHARACTERS = 4_000


class PythonTestsNotFoundError(ToolError):
    """A test file or directory does not exist."""

    code = "python-tests-not-found"


class PytestTargets(NamedTuple):
    """The tests to run, and the project they belong to."""

    arguments: list[str]
    """Paths and single tests, as pytest accepts them. Empty for all tests in the project."""
    directory: Path
    """The root directory of the project, where pytest runs."""
    interpreter_directory: Path
    """The directory where the search for the interpreter starts."""


def resolve_targets(paths: str, ctx: Context) -> PytestTargets:
    """Return the tests that a call names, and their project's directories.

    Args:
        paths: Paths of test files or directories, separated by commas. A path may be followed by
            `::` and a test name, as in `tests/test_it.py::test_one`. An empty text means all tests
            in the project.
        ctx: The context of the call.

    Raises:
        PythonTestsNotFoundError: A file or directory does not exist.
        PathNotAllowedError: A path is outside the allowed folders.
    """
    working_directory = get_working_directory(ctx)
    arguments: list[str] = []
    resolved_paths: list[Path] = []
    for target in (part.strip() for part in _SEPARATOR_PATTERN.split(paths)):
        if not target:
            continue
        path, separator, test = target.partition("::")
        resolved = require_path(path, ctx, PythonTestsNotFoundError)
        arguments.append(f"{resolved}{separator}{test}")
        resolved_paths.append(resolved)
    if not resolved_paths:
        return PytestTargets([], working_directory, working_directory)
    first_path = resolved_paths[0]
    test_directory = first_path if first_path.is_dir() else first_path.parent
    project_directory = _find_project_directory(test_directory, working_directory)
    return PytestTargets(arguments, project_directory, test_directory)


def _find_project_directory(test_directory: Path, working_directory: Path) -> Path:
    """Return the root of the project that tests belong to.

    It is the nearest directory with a project file such as `pyproject.toml`, starting at the tests.
    Directories above the working directory are not searched. If there is no project file, the
    result is the working directory, or the test directory if that is elsewhere.
    """
    for folder in (test_directory, *test_directory.parents):
        if any((folder / marker).exists() for marker in _PROJECT_MARKERS):
            return folder
        if folder == working_directory:
            break
    is_inside = test_directory.is_relative_to(working_directory)
    return working_directory if is_inside else test_directory


class PytestError(ToolError):
    """Pytest is missing, does not start, or rejects its arguments."""

    code = "pytest"


class NoPythonTestsError(ToolError):
    """Pytest found no tests."""

    code = "no-python-tests"


class PytestLimits(NamedTuple):
    """Limits of a test run.

    Attributes:
        total_seconds: The time limit for all attempts together.
        seconds_per_test: The time after which the plugin stops a test.
        memory_bytes: The memory limit for the tests and their child processes.
        allows_network: Whether the tests may access the network.
    """

    total_seconds: float
    seconds_per_test: float
    memory_bytes: int
    allows_network: bool


@dataclass(slots=True)
class PytestResult:
    """The result of a test run, which may have taken multiple attempts."""

    tests: PythonTestRun = field(default_factory=PythonTestRun)
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    has_other_failure: bool = False
    """Whether pytest itself or a process failed."""

    def add_other_failure(self, note: str, output: str) -> None:
        """Record a failure that no test explains, with the last lines of pytest's output."""
        self.has_other_failure = True
        self.notes.append(note)
        lines = [line for line in _get_output_tail(output).splitlines() if line.strip()]
        if lines:
            self.notes.append(f"Its output ended with: {' / '.join(lines[-5:])}")


@dataclass
class PytestRunner:
    """Runs tests in a child process, and in another one if a test ends the process.

    The plugin in the child process appends events to a file. The runner reads them to track the
    state of each test, so it can attribute a crash or a timeout to the test that was running.
    """

    targets: PytestTargets
    selection: list[str]
    """Pytest options that select tests, such as `["-k", "keyword"]`."""
    interpreter: PythonInterpreter
    limits: PytestLimits
    work_directory: Path
    """A temporary directory for the files that the plugin reads and writes."""

    def __post_init__(self) -> None:
        self._result = PytestResult()
        self._test_run = self._result.tests
        self._event_reader = EventFileReader(self.work_directory / "events")
        self._started_at = time.monotonic()

    def run(self, is_cancelled: IsCancelled, on_test: OnProgress) -> PytestResult:
        """Run all tests, in multiple attempts if necessary.

        Tests that were running when an attempt ended abruptly count as failed and are not run
        again, so the next attempt can continue with the remaining ones.

        Args:
            is_cancelled: Returns True once the call is cancelled.
            on_test: Called with the state of the run whenever it changes.

        Raises:
            PytestError: Pytest cannot run.
            NoPythonTestsError: There are no tests.
        """
        for _ in range(_MAX_ATTEMPTS):
            needs_attempt = self._run_attempt(is_cancelled, on_test) and not is_cancelled()
            is_complete = len(self._test_run.finished_names) >= self._test_run.total_count
            if not needs_attempt or is_complete or self._get_remaining_seconds() <= 0:
                break
        self._result.seconds = time.monotonic() - self._started_at
        return self._result

    def _get_remaining_seconds(self) -> float:
        return self._started_at + self.limits.total_seconds - time.monotonic()

    def _run_attempt(self, is_cancelled: IsCancelled, on_test: OnProgress) -> bool:
        """Run the unfinished tests in a new process, and return True if another attempt is needed.

        The names of the finished tests are written to a file. The pytest plugin reads it and
        deselects these tests.
        """
        finished_names = json.dumps(self._test_run.finished_names)
        (self.work_directory / "done").write_text(finished_names, encoding="utf-8")
        self._test_run.end_event = None
        with self._start_process() as program:
            program_exit = self._wait_for_process(program, is_cancelled, on_test)
        # The process may have written events after the last poll.
        self._event_reader.read_events(self._test_run)
        on_test(self._test_run)
        if is_cancelled():
            return False
        if self._test_run.end_event is not None:
            self._record_regular_end(program_exit, program.output)
            return False
        return self._record_abrupt_end(program_exit, program.output)

    def _start_process(self) -> SupervisedProgram:
        """Start pytest in a supervised process with the project's interpreter.

        The script `paddock_run_pytest` receives pytest's arguments and the location of Paddock's
        own pytest, which it uses if the project has none. The plugin that reports test events reads
        its settings from an environment variable so that pytest-xdist workers inherit them.
        """
        script_settings = {
            "arguments": [*_PYTEST_ARGUMENTS, *self.selection, *self.targets.arguments],
            "plugin": str(_SCRIPTS_DIRECTORY),
            "lent": _find_own_pytest(),
        }
        plugin_settings = {
            "events": str(self.work_directory / "events"),
            "done": str(self.work_directory / "done"),
            "test_seconds": self.limits.seconds_per_test,
        }
        return SupervisedProgram(
            [str(self.interpreter.path), str(_PYTEST_SCRIPT), json.dumps(script_settings)],
            self.targets.directory,
            variables=self._build_environment() | {SETTINGS_VARIABLE: json.dumps(plugin_settings)},
            network=self.limits.allows_network,
            memory_bytes=self.limits.memory_bytes,
        )

    def _build_environment(self) -> dict[str, str]:
        """Return the variables that activating the interpreter's virtual environment would set."""
        program_directory = str(self.interpreter.path.parent)
        variables = {
            "PATH": os.pathsep.join([program_directory, os.environ.get("PATH", os.defpath)])
        }
        if (self.interpreter.prefix / "pyvenv.cfg").is_file():
            variables["VIRTUAL_ENV"] = str(self.interpreter.prefix)
        return variables

    def _wait_for_process(
        self, program: SupervisedProgram, is_cancelled: IsCancelled, on_test: OnProgress
    ) -> ProgramExit:
        """Wait until the pytest process ends, and stop it if it hangs or a limit is reached.

        The plugin stops slow tests within the process. The whole process is stopped if a test does
        not react, if the process does not end after the last test, when the run reaches its time
        limit, or when the call is cancelled.
        """
        exit_deadline = float("inf")
        while True:
            program_exit = program.wait(_POLL_SECONDS)
            if self._event_reader.read_events(self._test_run):
                on_test(self._test_run)
            if program_exit is not None:
                return program_exit
            now = time.monotonic()
            if self._test_run.end_event is not None:
                exit_deadline = min(exit_deadline, now + _EXIT_GRACE_SECONDS)
            if now > exit_deadline:
                self._result.notes.append(
                    "The process did not end after the last test and was stopped."
                )
                return program.stop()
            if is_cancelled() or self._get_remaining_seconds() <= 0 or self._is_test_stuck(now):
                return program.stop()

    def _is_test_stuck(self, now: float) -> bool:
        """Return True if a test is still running after the plugin should have stopped it."""
        max_seconds = self.limits.seconds_per_test + _STOP_GRACE_SECONDS
        return any(now > case.started_at + max_seconds for case in self._test_run.running_cases)

    def _record_regular_end(self, program_exit: ProgramExit, output: str) -> None:
        """Record the outcome of an attempt in which pytest ended normally.

        If tests started but did not finish, one of them ended the run, for example with
        `pytest.exit`, so they count as failed. An exit code that no test explains is recorded as a
        failure of the run.

        Raises:
            NoPythonTestsError: Pytest found no tests.
            PytestError: Pytest rejected its arguments or its configuration.
        """
        tests = self._test_run
        end = tests.end_event or {}
        status = end.get("status")
        for case in tests.running_cases:
            case.fail(
                "ended the run before the test finished",
                output=[("Output", extract_crash_text(output))],
            )
        if end.get("reason"):
            self._result.notes.append(f"pytest stopped early: {end['reason']}.")
        if status == _NO_TESTS_STATUS and not tests.cases and not tests.collect_errors:
            raise NoPythonTestsError(
                "pytest found no tests",
                hint=_get_output_tail(output) or "name files that contain tests",
            )
        if status == _USAGE_ERROR_STATUS and not tests.cases:
            raise PytestError("pytest did not run any test", hint=_get_output_tail(output))
        has_unexplained_code = program_exit.code and status in (0, 1) and not tests.has_failure
        if has_unexplained_code:
            self._result.add_other_failure(
                f"No test failed, but pytest ended with status {program_exit.code}.", output
            )
        elif status not in (0, 1, 2, _NO_TESTS_STATUS):
            self._result.add_other_failure(f"pytest failed with status {status}.", output)

    def _record_abrupt_end(self, program_exit: ProgramExit, output: str) -> bool:
        """Record an attempt whose process ended before pytest finished, for example in a crash.

        The tests that were running are recorded as failed, with the process's crash message.
        Returns True if another attempt is needed to run the remaining tests. If no test was
        running, another attempt would end in the same way.

        Raises:
            PytestError: Pytest is missing or did not start.
        """
        if program_exit.code == _NO_PYTEST_STATUS:
            raise PytestError(
                f"{self.interpreter.path} has no pytest, and Paddock's pytest does not support it",
                hint=f"{self.interpreter.path} -m pip install pytest",
            )
        # Without the plugin's first event, pytest did not even start.
        if not self._test_run.begin_event:
            raise PytestError(
                f"pytest did not start: {_describe_exit(program_exit)}",
                hint=_get_output_tail(output),
            )
        # The plugin ended the process because pytest could not continue after this test.
        if self._test_run.broken_test:
            self._record_broken_test(self._test_run.broken_test)
            self._test_run.broken_test = ""
            return True
        running = self._test_run.running_cases
        reason = self._describe_end(program_exit)
        self._result.has_other_failure = True
        for case in running:
            case.seconds = time.monotonic() - case.started_at
            case.fail(
                reason,
                text=str(case.stop_event.get("stack", "")),
                output=[("Output", extract_crash_text(output))],
            )
        if not running:
            self._result.add_other_failure(f"The run ended between tests: it {reason}.", output)
        return bool(running) and self._get_remaining_seconds() > 0

    def _record_broken_test(self, name: str) -> None:
        """Record a test that closed the files that pytest captures output in."""
        case = self._test_run.cases.get(name)
        action = "closed the files that pytest needs"
        if case is not None and not case.is_finished:
            case.fail(action)
        self._result.notes.append(f"{name} {action}; the remaining tests ran in a new process.")

    def _describe_end(self, program_exit: ProgramExit) -> str:
        """Return the reason that a process ended, as in "ended the process: exit code 1".

        The text is a predicate whose subject is the test that was running.
        """
        if program_exit.cause == "memory":
            return f"was stopped: it used more than {self.limits.memory_bytes >> 20} MB of memory"
        if program_exit.cause == "stopped":
            if self._get_remaining_seconds() <= 0:
                return (
                    "did not finish: the time limit of the run, "
                    f"{self.limits.total_seconds:g} s, was reached"
                )
            return f"was killed: it did not stop after {self.limits.seconds_per_test:g} s"
        return f"ended the process: {_describe_exit(program_exit)}"


def _find_own_pytest() -> list[str]:
    """Return the import paths of Paddock's pytest and its dependencies, without importing them."""
    specs = [find_spec(name) for name in ("pytest", "pluggy", "iniconfig", "packaging", "pygments")]
    paths = [str(Path(spec.origin).parent.parent) for spec in specs if spec and spec.origin]
    # If a dependency were missing, the shared pytest could not be imported.
    return list(dict.fromkeys(paths)) if len(paths) == len(specs) else []


def _describe_exit(program_exit: ProgramExit) -> str:
    """Return a process's exit code as text, or the name of the signal that ended it."""
    if program_exit.cause == "lost":
        return "it killed its supervisor process"
    if program_exit.code is None:
        return "it was killed"
    if program_exit.code < 0:
        return signal.Signals(-program_exit.code).name
    return f"exit code {program_exit.code}"


def extract_crash_text(output: str) -> str:
    """Find the traceback or "Fatal Python error" message in a pytest process's output.

    Pytest's frames and the list of loaded extension modules are removed. If the output contains no
    such message, the result is empty.
    """
    start = max(output.find("Fatal Python error"), output.find("Traceback (most recent"))
    if start < 0:
        return ""
    crash_text, _, _ = output[start:].partition("\n\nExtension modules:")
    lines = [line for line in crash_text.splitlines() if not _INTERNAL_PATH_PATTERN.search(line)]
    return "\n".join(lines)[:_OUTPUT_TAIL_CHARACTERS].strip()


def _get_output_tail(output: str) -> str:
    return output.strip()[-_OUTPUT_TAIL_CHARACTERS:]
