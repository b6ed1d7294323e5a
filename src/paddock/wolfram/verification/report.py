"""What is told of the tests of Wolfram Language files, in the report that all tests have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.reports import tested
from paddock.reports.markdown import format_size, format_duration
from paddock.reports.tested import ReportBlock, FailedTest, FileTestReport

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paddock.wolfram.verification.results import WolframFileResult, WolframTestOutcome, WolframTestResult

_GROUP_TITLES: dict[WolframTestOutcome, str] = {
    "Failure": "Wrong Results",
    "MessagesFailure": "Message Failures",
    "Error": "Errors",
}


def format_report(files: Sequence[WolframFileResult]) -> str:
    """All that is to be told about some test files."""
    return tested.format_test_report([_make_file_report(file) for file in files], list(_GROUP_TITLES.values()))


def _make_file_report(file: WolframFileResult) -> FileTestReport:
    return FileTestReport(
        file.name,
        file.passed,
        [_make_failed_test(result) for result in file.results if result.outcome in _GROUP_TITLES],
        file.seconds,
        file.notes,
        file.not_run,
        has_other_failure=file.is_broken,
    )


def _make_failed_test(result: WolframTestResult) -> FailedTest:
    test = result.test
    rows: dict[str, str] = {"Outcome": result.outcome}
    if test.section:
        rows["Section"] = test.section
    rows |= {"Time": format_duration(result.seconds), "Memory": format_size(result.peak_bytes)}
    return FailedTest(result.name, _GROUP_TITLES[result.outcome], rows, list(_iter_blocks(result)))


def _iter_blocks(result: WolframTestResult) -> Iterable[ReportBlock]:
    test = result.test
    yield ReportBlock("Input", test.input, "wl")
    yield ReportBlock("Expected Output", result.expected or test.expected, "wl")
    yield ReportBlock("Actual Output", result.actual, "wl")
    if test.messages or result.messages:
        yield ReportBlock("Expected Messages", "{" + ", ".join(test.messages) + "}", "wl")
        yield ReportBlock("Actual Messages", "\n".join(result.messages) or "{}", "wl")
