"""What came of tests.

What is told of the tests of Wolfram Language files, in the report that all tests have.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from paddock.reports import suite_report
from paddock.reports.suite_report import FailedTest, FileTestReport, ReportBlock
from paddock.reports.text import format_duration, format_size
from paddock.wolfram.wlt.wlt_parser import WolframTest, are_messages_expected

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


WolframTestOutcome = Literal["Success", "Failure", "MessagesFailure", "Error"]


@dataclass(frozen=True, slots=True)
class WolframTestResult:
    """What came of one test."""

    test: WolframTest
    number: int
    """Its place in the file, counted from 1."""
    outcome: WolframTestOutcome
    actual: str = ""
    """The value in InputForm, or why there is none."""
    expected: str = ""
    """The value of what is expected, in InputForm."""
    messages: tuple[str, ...] = ()
    """The messages that there were, with their text."""
    seconds: float | None = None
    peak_bytes: int | None = None

    @property
    def name(self) -> str:
        """What it is called, in one line: its id, or its place."""
        return " ".join(self.test.test_id.split()) or f"Test {self.number} (line {self.test.line})"


@dataclass(slots=True)
class WolframFileResult:
    """What came of the tests of one file."""

    name: str
    results: list[WolframTestResult] = field(default_factory=list)
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    """What else is to be known: code between tests that failed, tests that were not run."""
    not_run: int = 0
    """How many tests could not be run, and have no result."""
    is_broken: bool = False
    """Whether code between the tests had no value."""

    @property
    def passed(self) -> int:
        """How many tests were successful."""
        return sum(result.outcome == "Success" for result in self.results)

    @property
    def failed(self) -> int:
        """How many were not."""
        return len(self.results) - self.passed

    @property
    def is_success(self) -> bool:
        """Whether all tests of the file were run, successfully, and all else in it worked."""
        return not (self.failed or self.not_run or self.is_broken)


def determine_outcome(
    test: WolframTest, *, is_same: bool, messages: Sequence[str]
) -> WolframTestOutcome:
    """How a test whose input was evaluated came out; a wrong value counts before messages."""
    if not is_same:
        return "Failure"
    return "Success" if are_messages_expected(test.messages, messages) else "MessagesFailure"


_GROUP_TITLES: dict[WolframTestOutcome, str] = {
    "Failure": "Wrong Results",
    "MessagesFailure": "Message Failures",
    "Error": "Errors",
}


def format_report(files: Sequence[WolframFileResult]) -> str:
    """All that is to be told about some test files."""
    return suite_report.format_test_report(
        [_make_file_report(file) for file in files], list(_GROUP_TITLES.values())
    )


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
