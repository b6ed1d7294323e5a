"""Wolfram Language test results and their report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from paddock.reports import suite_report
from paddock.reports.suite_report import FailedTest, FileTestReport, ReportBlock
from paddock.reports.text import format_duration, format_size
from paddock.wolfram.wlt.wlt_parser import WolframTest, are_messages_expected

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


WolframTestOutcome = Literal["Success", "Failure", "MessagesFailure", "Error"]
_GROUP_TITLES: dict[WolframTestOutcome, str] = {
    "Failure": "Wrong Results",
    "MessagesFailure": "Message Failures",
    "Error": "Errors",
}


@dataclass(frozen=True, slots=True)
class WolframTestResult:
    """The outcome of a test, with the values that the report compares."""

    test: WolframTest
    number: int
    """The position of the test in the file, starting at 1."""
    outcome: WolframTestOutcome
    actual: str = ""
    """The value in InputForm, or the reason for the missing value."""
    expected: str = ""
    """The expected value in InputForm, or an empty string if it was not evaluated."""
    messages: tuple[str, ...] = ()
    """The actual messages with their text."""
    seconds: float | None = None
    """The evaluation time."""
    peak_bytes: int | None = None
    """The peak memory use of the evaluation."""

    @property
    def name(self) -> str:
        """A one-line name: the test ID, or the position of the test."""
        return " ".join(self.test.test_id.split()) or f"Test {self.number} (line {self.test.line})"


def determine_outcome(
    test: WolframTest, *, is_same: bool, messages: Sequence[str]
) -> WolframTestOutcome:
    """Return the outcome of an evaluated test.

    A wrong value takes precedence over wrong messages.

    Args:
        test: The test.
        is_same: True if the value equals the expected one according to the `SameTest` option.
        messages: The messages from the evaluation.
    """
    if not is_same:
        return "Failure"
    return "Success" if are_messages_expected(test.messages, messages) else "MessagesFailure"


def add_test_result(file: FileTestReport, result: WolframTestResult) -> None:
    """Add the result of a test to the report on its file."""
    if result.outcome == "Success":
        file.passed_count += 1
    else:
        file.failures.append(_make_failed_test(result))


def format_report(files: Sequence[FileTestReport]) -> str:
    """Return a Markdown report on test files."""
    return suite_report.format_test_report(files, list(_GROUP_TITLES.values()))


def _make_failed_test(result: WolframTestResult) -> FailedTest:
    """Convert a failed test's result to its section of the report.

    The section has a table of properties and code blocks that compare expected and actual values.
    """
    properties: dict[str, str] = {"Outcome": result.outcome}
    if result.test.section:
        properties["Section"] = result.test.section
    properties["Time"] = format_duration(result.seconds)
    properties["Memory"] = format_size(result.peak_bytes)
    blocks = list(_iter_report_blocks(result))
    return FailedTest(result.name, _GROUP_TITLES[result.outcome], properties, blocks)


def _iter_report_blocks(result: WolframTestResult) -> Iterable[ReportBlock]:
    """Yield the code blocks that show a test failure in the report.

    They contain the input and the expected and actual output. If there are any messages, blocks
    that compare them follow.
    """
    test = result.test
    yield ReportBlock("Input", test.input, "wl")
    yield ReportBlock("Expected Output", result.expected or test.expected, "wl")
    yield ReportBlock("Actual Output", result.actual, "wl")
    if test.messages or result.messages:
        yield ReportBlock("Expected Messages", "{" + ", ".join(test.messages) + "}", "wl")
        yield ReportBlock("Actual Messages", "\n".join(result.messages) or "{}", "wl")
