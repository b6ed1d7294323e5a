"""Markdown reports on pytest runs, for the `PythonTestReport` tool."""

from __future__ import annotations

import heapq
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.kernels.handler_calls import call_in_thread
from paddock.reports import suite_report
from paddock.reports.suite_report import FailedTest, FileTestReport, ReportBlock
from paddock.reports.text import format_duration
from paddock.toolkits.python.interpreters import choose_interpreter
from paddock.toolkits.python.pytest_runner import (
    PytestLimits,
    PytestResult,
    PytestRunner,
    resolve_targets,
)
from paddock.toolkits.python.tools import (
    DEFAULT_MAX_FAILURES,
    EACH_TEST_TIME_OPTION_NAME,
    RUN_TIME_OPTION_NAME,
)
from paddock.toolkits.tool_options import MEMORY_OPTION_NAME, NETWORK_OPTION_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from paddock.authoring.context import Context
    from paddock.toolkits.python.interpreters import PythonInterpreter
    from paddock.toolkits.python.pytest_events import PytestEvent, PythonTestCase, PythonTestRun
    from paddock.toolkits.python.tools import PytestArguments

WRONG_RESULTS_GROUP, ERRORS_GROUP = "Wrong Results", "Errors"
_OTHER_OUTCOME_TITLES = {
    "skipped": "Skipped",
    "xfailed": "Expected Failures",
    "xpassed": "Unexpected Passes",
}
_VALUE_TITLES = {"input": "Input", "expected": "Expected Output", "actual": "Actual Output"}
_MAX_PASSED_FILES = 30  # More files without failures are counted but not listed.
_MAX_TRACEBACK_CHARACTERS, _MAX_OUTPUT_CHARACTERS = 3_000, 1_500
_SLOW_TEST_SECONDS, _MAX_SLOW_TESTS = 1.0, 5


def run_python_tests(arguments: PytestArguments, ctx: Context) -> str:
    """Run the tests that a call names with pytest, and return a Markdown report.

    Raises:
        ToolError: The tests do not exist or cannot be run.
        PaddockError: No child process can be started.
    """
    targets = resolve_targets(arguments.paths or "", ctx)
    interpreter = choose_interpreter(ctx, arguments.interpreter, targets.interpreter_directory)
    limits = PytestLimits(
        arguments.time_constraint or ctx.options[RUN_TIME_OPTION_NAME],
        arguments.test_time_constraint or ctx.options[EACH_TEST_TIME_OPTION_NAME],
        arguments.memory_constraint or ctx.options[MEMORY_OPTION_NAME],
        ctx.options[NETWORK_OPTION_NAME],
    )
    options: list[str] = []
    for option, expression in (("-k", arguments.keyword), ("-m", arguments.marker)):
        if expression and expression.strip():
            options += [option, expression]

    def run_pytest(
        is_cancelled: Callable[[], bool], on_test: Callable[[PythonTestRun], None]
    ) -> PytestResult:
        with tempfile.TemporaryDirectory(
            prefix="paddock-", ignore_cleanup_errors=True
        ) as temporary_directory:
            runner = PytestRunner(targets, options, interpreter, limits, Path(temporary_directory))
            return runner.run(is_cancelled, on_test)

    def report_progress(tests: PythonTestRun) -> None:
        """Send the client a progress notification for the finished and running tests."""
        running = ", ".join(case.name for case in tests.running_cases[:3])
        finished_count, total_count = len(tests.finished_names), tests.total_count
        # MCP requires progress to increase with each notification, so a test that has started
        # counts half.
        progress = finished_count + (0.5 if running else 0)
        ctx.progress(progress, total_count, f"{finished_count} of {total_count} tests. {running}")

    result = call_in_thread(ctx, run_pytest, report_progress)
    ctx.raise_if_cancelled()
    max_failures = arguments.limit or 0
    if max_failures <= 0:
        max_failures = DEFAULT_MAX_FAILURES
    return _format_report(result, interpreter, max_failures)


def _format_report(result: PytestResult, interpreter: PythonInterpreter, max_failures: int) -> str:
    """Return a Markdown report on a test run.

    If there are many files without failures, they are counted but not listed.
    """
    files = _build_file_reports(result.tests)
    warning_count = result.tests.warning_count
    notes = [f"Warnings: {warning_count}."] if warning_count else []
    listed = files
    passed_count = sum(file.is_success for file in files)
    if passed_count > _MAX_PASSED_FILES:
        notes.append(f"All tests passed in {passed_count} files, which are not listed below.")
        listed = [file for file in files if not file.is_success]
    text = suite_report.format_test_report(
        files,
        (WRONG_RESULTS_GROUP, ERRORS_GROUP),
        seconds=result.seconds,
        notes=[*result.notes, *notes, *_list_slow_tests(result.tests)],
        is_success=not result.has_other_failure,
        listed=listed,
        limit=max_failures,
    )
    return f"{text}\n\n{_describe_runner(result.tests.begin_event, interpreter)}"


def _describe_runner(begin_event: PytestEvent, interpreter: PythonInterpreter) -> str:
    """Return a sentence that names the versions of pytest and Python that ran the tests.

    Args:
        begin_event: The pytest plugin's first event, which has the versions and the directory of
            the pytest that ran (`place`).
        interpreter: The Python interpreter that ran the tests.
    """
    own_pytest = find_spec("pytest")
    own_directory = str(Path(own_pytest.origin).parent) if own_pytest and own_pytest.origin else ""
    is_shared = not interpreter.is_current and begin_event.get("place") == own_directory
    return (
        f"Run by pytest {begin_event.get('pytest')} with Python {begin_event.get('python')}, "
        f"{interpreter.origin}."
        + (" That environment has no pytest, so Paddock's was used." if is_shared else "")
    )


def _list_slow_tests(tests: PythonTestRun) -> list[str]:
    """Return a list with a note on the slowest tests, or an empty list if all were fast."""
    slowest = heapq.nlargest(_MAX_SLOW_TESTS, tests.cases.values(), key=lambda case: case.seconds)
    descriptions = [
        f"{case.name} {format_duration(case.seconds)}"
        for case in slowest
        if case.seconds >= _SLOW_TEST_SECONDS
    ]
    return [f"Slowest: {', '.join(descriptions)}."] if descriptions else []


def _build_file_reports(tests: PythonTestRun) -> list[FileTestReport]:
    """Group the tests of a run by file, and return a report on each file.

    Files where no test ran are included if tests were collected in them or collection failed.
    """
    errors = {_get_file_name(name): text for name, text in tests.collect_errors.items()}
    cases_by_file: dict[str, list[PythonTestCase]] = {
        name: [] for name in [*tests.collected_counts, *errors]
    }
    for case in tests.cases.values():
        cases_by_file.setdefault(_get_file_name(case.name), []).append(case)
    return [
        _build_file_report(name, cases, errors.get(name), tests.collected_counts.get(name, 0))
        for name, cases in cases_by_file.items()
    ]


def _get_file_name(test: str) -> str:
    return test.partition("::")[0]


def _build_file_report(
    name: str, cases: list[PythonTestCase], error: str | None, collected_count: int
) -> FileTestReport:
    """Return the report on one test file.

    Args:
        name: The path of the file.
        cases: The tests that ran.
        error: The error that prevented pytest from collecting the file's tests, if any.
        collected_count: The number of collected tests, to count those that did not run.
    """
    file = FileTestReport(name, 0, [], 0.0, not_run_count=max(0, collected_count - len(cases)))
    if error is not None:
        rows = {"Outcome": "Error", "Time": "N/A"}
        blocks = [ReportBlock("Traceback", error, "text", _MAX_TRACEBACK_CHARACTERS)]
        file.failures.append(FailedTest("Collection", ERRORS_GROUP, rows, blocks))
    for case in cases:
        _add_test_result(file, case)
    return file


def _add_test_result(file: FileTestReport, case: PythonTestCase) -> None:
    """Add a test's result to the report on its file."""
    file.seconds += case.seconds
    if case.outcome == "passed":
        file.passed_count += 1
    elif case.outcome == "failed":
        file.failures += _build_failures(case)
    else:
        name = _OTHER_OUTCOME_TITLES[case.outcome]
        file.other_counts[name] = file.other_counts.get(name, 0) + 1


def _build_failures(case: PythonTestCase) -> list[FailedTest]:
    """Return the failures of a test: one for each failed phase or subtest.

    A teardown failure is merged with the failure before it so that they count as one.
    """
    failures: list[FailedTest] = []
    for event in case.failures:
        if failures and event.get("when") == "teardown" and "subtest" not in event:
            failures[-1].blocks += [
                ReportBlock(f"{block.title} (teardown)", *block[1:])
                for block in _build_failure_blocks(event)
            ]
        else:
            failures.append(_build_failure(case, event))
    return failures


def _build_failure(case: PythonTestCase, event: PytestEvent) -> FailedTest:
    """Convert a test's failure event to a report entry.

    Failed assertions are grouped as wrong results, and all other exceptions as errors.
    """
    name = case.name.partition("::")[2] or case.name
    if event.get("subtest"):
        name += f" ({event['subtest']})"
    is_assertion = bool(event.get("is_assertion"))
    rows = {"Outcome": "Failure" if is_assertion else "Error"}
    if event.get("when") in ("setup", "teardown"):
        rows["Phase"] = str(event["when"])
    if event.get("line"):
        rows["Line"] = str(event["line"])
    rows["Time"] = format_duration(case.seconds)
    group = WRONG_RESULTS_GROUP if is_assertion else ERRORS_GROUP
    return FailedTest(name, group, rows, list(_build_failure_blocks(event)))


def _build_failure_blocks(event: PytestEvent) -> Iterable[ReportBlock]:
    """Yield the code blocks about a failure: values, message, traceback and captured output."""
    for key, title in _VALUE_TITLES.items():
        if event.get(key) is not None:
            yield ReportBlock(title, str(event[key]), "py")
    message = str(event.get("message", ""))
    # If the compared values are shown, the message would just repeat them.
    if "expected" not in event and message:
        error = f"{event['error']}: {message}" if event.get("error") else message
        yield ReportBlock("Error", error, "text", _MAX_OUTPUT_CHARACTERS)
    if event.get("text"):
        yield ReportBlock("Traceback", str(event["text"]), "text", _MAX_TRACEBACK_CHARACTERS)
    for title, text in event.get("output", ()):
        if str(text).strip():
            yield ReportBlock(str(title), str(text).strip(), "text", _MAX_OUTPUT_CHARACTERS)
