"""What the tool `PythonTestReport` does: runs tests, and words what came of them.

Loaded with the first call.
"""

from __future__ import annotations

import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from paddock.authoring.context import Context
    from paddock.toolkits.python.interpreters import PythonInterpreter
    from paddock.toolkits.python.pytest_events import PytestEvent, PythonTestCase, PythonTestRun

WRONG_RESULTS_GROUP, ERRORS_GROUP = "Wrong Results", "Errors"
_OTHER_OUTCOME_TITLES = {
    "skipped": "Skipped",
    "xfailed": "Expected Failures",
    "xpassed": "Unexpected Passes",
}
_MAX_PASSED_FILES = 30
"""Files whose tests all passed that are listed one by one."""
_MAX_TRACEBACK_CHARACTERS, _MAX_OUTPUT_CHARACTERS = 3_000, 1_500
_SLOW_TEST_SECONDS, _MAX_SLOW_TESTS = 1.0, 5


class PytestSelection(NamedTuple):
    """Which tests are to be run, and how much is told of them."""

    paths: str
    keyword: str
    marker: str
    interpreter: str | None
    max_failures: int


def run_and_report(ctx: Context, wanted: PytestSelection, limits: PytestLimits) -> str:
    """The report on some tests.

    Raises:
        ToolError: when they cannot be run.
        PaddockError: when there is no process for them.
    """
    targets = resolve_targets(wanted.paths, ctx)
    interpreter = choose_interpreter(ctx, wanted.interpreter, targets.interpreter_directory)
    selection = []
    for option, value in (("-k", wanted.keyword), ("-m", wanted.marker)):
        if value.strip():
            selection += [option, value]

    def work(
        is_cancelled: Callable[[], bool], on_test: Callable[[PythonTestRun], None]
    ) -> PytestResult:
        with tempfile.TemporaryDirectory(prefix="paddock-", ignore_cleanup_errors=True) as private:
            attempts = PytestRunner(targets, selection, interpreter, limits, Path(private))
            return attempts.run(is_cancelled, on_test)

    def tell(tests: PythonTestRun) -> None:
        running = ", ".join(case.name for case in tests.running_cases[:3])
        # Only progress that grows is told, and a test that begins is some.
        done = tests.finished_count + (0.5 if running else 0)
        ctx.progress(
            done,
            tests.total_count,
            f"{tests.finished_count} of {tests.total_count} tests. {running}",
        )

    run = call_in_thread(ctx, work, tell)
    ctx.raise_if_cancelled()
    return _format_report(run, interpreter, wanted.max_failures)


def _format_report(run: PytestResult, interpreter: PythonInterpreter, limit: int) -> str:
    files = _build_file_reports(run.tests)
    notes = [f"Warnings: {run.tests.warning_count}."] if run.tests.warning_count else []
    shown = [file for file in files if not file.is_success]
    whole = [file for file in files if file.is_success]
    if len(whole) > _MAX_PASSED_FILES:
        notes.append(f"All tests passed in {len(whole)} files, which are not listed below.")
        listed = shown
    else:
        listed = files
    text = suite_report.format_test_report(
        files,
        (WRONG_RESULTS_GROUP, ERRORS_GROUP),
        seconds=run.seconds,
        notes=[*run.notes, *notes, *_list_slow_tests(run.tests)],
        is_success=not run.has_other_failure,
        listed=listed,
        limit=limit,
    )
    return f"{text}\n\n{_describe_runner(run.tests.begin_event, interpreter)}"


def _describe_runner(begin: PytestEvent, interpreter: PythonInterpreter) -> str:
    """What ran the tests."""
    python = f"Python {begin.get('python')}, {interpreter.origin}"
    pytest = f"pytest {begin.get('pytest')}"
    is_lent = not interpreter.is_current and begin.get("place") == _find_own_pytest()
    lent = " That environment has no pytest: Paddock's was used." if is_lent else ""
    return f"Run by {pytest} with {python}.{lent}"


def _find_own_pytest() -> str | None:
    found = find_spec("pytest")
    return str(Path(found.origin).parent) if found and found.origin else None


def _list_slow_tests(tests: PythonTestRun) -> list[str]:
    slow = sorted(
        (case for case in tests.cases.values() if case.seconds >= _SLOW_TEST_SECONDS),
        key=lambda case: -case.seconds,
    )
    told = [f"{case.name} {format_duration(case.seconds)}" for case in slow[:_MAX_SLOW_TESTS]]
    return [f"Slowest: {', '.join(told)}."] if told else []


def _build_file_reports(tests: PythonTestRun) -> list[FileTestReport]:
    """The files as they are told."""
    errors = {
        _get_file_name(str(error["id"])): str(error["text"]) for error in tests.collect_errors
    }
    cases: dict[str, list[PythonTestCase]] = {
        name: [] for name in [*tests.collected_counts, *errors]
    }
    for case in tests.cases.values():
        cases.setdefault(_get_file_name(case.name), []).append(case)
    return [
        _build_file_report(name, found, errors.get(name), tests.collected_counts.get(name, 0))
        for name, found in cases.items()
    ]


def _get_file_name(test: str) -> str:
    return test.partition("::")[0]


def _build_file_report(
    name: str, cases: list[PythonTestCase], error: str | None, collected: int
) -> FileTestReport:
    file = FileTestReport(name, 0, [], 0.0, not_run_count=max(0, collected - len(cases)))
    if error is not None:
        rows = {"Outcome": "Error", "Time": "N/A"}
        blocks = [ReportBlock("Traceback", error, "text", _MAX_TRACEBACK_CHARACTERS)]
        file.failures.append(FailedTest("Collection", ERRORS_GROUP, rows, blocks))
    for case in cases:
        _add_case(file, case)
    return file


def _add_case(file: FileTestReport, case: PythonTestCase) -> None:
    file.seconds += case.seconds
    if case.outcome == "passed":
        file.passed_count += 1
    elif case.outcome == "failed":
        file.failures += _build_failures(case)
    else:
        name = _OTHER_OUTCOME_TITLES[case.outcome]
        file.other_counts[name] = file.other_counts.get(name, 0) + 1


def _build_failures(case: PythonTestCase) -> list[FailedTest]:
    """What is wrong with a test: each subtest for itself, and its phases together."""
    found: list[FailedTest] = []
    for event in case.failures:
        if found and event.get("when") == "teardown" and "subtest" not in event:
            found[-1].blocks += [
                ReportBlock(f"{block.title} (teardown)", *block[1:])
                for block in _build_blocks(event)
            ]
        else:
            found.append(_build_failure(case, event))
    return found


def _build_failure(case: PythonTestCase, event: PytestEvent) -> FailedTest:
    name = case.name.partition("::")[2] or case.name
    if event.get("subtest"):
        name += f" ({event['subtest']})"
    is_wrong = bool(event.get("is_assertion"))
    rows = {"Outcome": "Failure" if is_wrong else "Error"}
    if event.get("when") in ("setup", "teardown"):
        rows["Phase"] = str(event["when"])
    if event.get("line"):
        rows["Line"] = str(event["line"])
    rows["Time"] = format_duration(case.seconds)
    return FailedTest(
        name, WRONG_RESULTS_GROUP if is_wrong else ERRORS_GROUP, rows, list(_build_blocks(event))
    )


def _build_blocks(event: PytestEvent) -> Iterable[ReportBlock]:
    for key, title in (
        ("input", "Input"),
        ("expected", "Expected Output"),
        ("actual", "Actual Output"),
    ):
        if event.get(key) is not None:
            yield ReportBlock(title, str(event[key]), "py")
    message = str(event.get("message", ""))
    if "expected" not in event and message:
        kind = str(event.get("error", ""))
        yield ReportBlock(
            "Error", f"{kind}: {message}" if kind else message, "text", _MAX_OUTPUT_CHARACTERS
        )
    if event.get("text"):
        yield ReportBlock("Traceback", str(event["text"]), "text", _MAX_TRACEBACK_CHARACTERS)
    for title, text in event.get("output", ()):
        if str(text).strip():
            yield ReportBlock(str(title), str(text).strip(), "text", _MAX_OUTPUT_CHARACTERS)
