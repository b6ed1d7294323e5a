"""What is told of the tests of Wolfram Language files, in the report that all tests have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.reports import tested
from paddock.reports.markdown import size_text, time_text
from paddock.reports.tested import Block, FailedTest, TestedFile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from paddock.wolfram.verification.results import FileResult, Outcome, WolframTestResult

_GROUPS: dict[Outcome, str] = {
    "Failure": "Wrong Results",
    "MessagesFailure": "Message Failures",
    "Error": "Errors",
}


def markdown_report(files: Sequence[FileResult]) -> str:
    """All that is to be told about some test files."""
    return tested.report([_file(file) for file in files], list(_GROUPS.values()))


def _file(file: FileResult) -> TestedFile:
    return TestedFile(
        file.name,
        file.passed,
        [_failing(result) for result in file.results if result.outcome in _GROUPS],
        file.seconds,
        file.notes,
        file.not_run,
        is_broken=file.is_broken,
    )


def _failing(result: WolframTestResult) -> FailedTest:
    test = result.test
    rows: dict[str, str] = {"Outcome": result.outcome}
    if test.section:
        rows["Section"] = test.section
    rows |= {"Time": time_text(result.seconds), "Memory": size_text(result.peak_bytes)}
    return FailedTest(result.name, _GROUPS[result.outcome], rows, list(_blocks(result)))


def _blocks(result: WolframTestResult) -> Iterable[Block]:
    test = result.test
    yield Block("Input", test.input, "wl")
    yield Block("Expected Output", result.expected or test.expected, "wl")
    yield Block("Actual Output", result.actual, "wl")
    if test.messages or result.messages:
        yield Block("Expected Messages", "{" + ", ".join(test.messages) + "}", "wl")
        yield Block("Actual Messages", "\n".join(result.messages) or "{}", "wl")
