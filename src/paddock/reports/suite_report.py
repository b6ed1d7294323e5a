"""The Markdown report on a test run: a summary, each file, and each failure."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from paddock.reports.text import (
    format_code_block,
    format_duration,
    format_share,
    format_table,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_BLOCK_CHARACTERS = 500  # Longer blocks are shortened in the middle.


class ReportBlock(NamedTuple):
    """A block of code or text in the report on a failed test, such as a traceback.

    Attributes:
        title: The title above the block.
        text: The content.
        language: The language of the code fence; empty for plain text.
        max_characters: The length beyond which the middle of the text is omitted.
    """

    title: str
    text: str
    language: str = ""
    max_characters: int = MAX_BLOCK_CHARACTERS


@dataclass(slots=True)
class FailedTest:
    """A test that did not pass, as shown in the report."""

    name: str
    group: str
    """The heading for tests that failed in the same way."""
    rows: dict[str, str]
    """The properties in the test's table, such as its expected result."""
    blocks: list[ReportBlock] = field(default_factory=list)
    """The blocks of code or text after the table."""


@dataclass(slots=True)
class FileTestReport:
    """The test results of one file, or the totals of a run."""

    name: str
    passed_count: int = 0
    failures: list[FailedTest] = field(default_factory=list)
    seconds: float = 0.0
    notes: list[str] = field(default_factory=list)
    not_run_count: int = 0
    other_counts: Counter[str] = field(default_factory=Counter)
    """Other counts by name, such as skipped tests."""
    has_other_failure: bool = False
    """Whether the file failed for a reason other than a failed test."""

    @property
    def run_count(self) -> int:
        """The number of tests that ran."""
        return self.passed_count + len(self.failures)

    @property
    def is_success(self) -> bool:
        """Whether all tests ran and passed."""
        return not (self.failures or self.not_run_count or self.has_other_failure)


def format_test_report(
    files: Sequence[FileTestReport],
    groups: Sequence[str],
    *,
    seconds: float | None = None,
    notes: Sequence[str] = (),
    is_success: bool = True,
    listed: Sequence[FileTestReport] | None = None,
    limit: int | None = None,
) -> str:
    """Return the report on a test run: a summary, then each file with its failures.

    Args:
        files: The results of each file.
        groups: The headings for failures, in order.
        seconds: The duration of the run. Defaults to the sum of the files.
        notes: Notes about the run.
        is_success: False if the run failed for a reason other than a test.
        listed: The files to list below the summary. Defaults to all.
        limit: The maximum number of failures to show in the whole report.
    """
    summary = FileTestReport(
        "",
        sum(file.passed_count for file in files),
        [failure for file in files for failure in file.failures],
        sum(file.seconds for file in files) if seconds is None else seconds,
        list(notes),
        sum(file.not_run_count for file in files),
        sum((file.other_counts for file in files), Counter()),
    )
    is_success = is_success and all(file.is_success for file in files)
    rows = {
        "Overall Result": "Success" if is_success else "Failure",
        "Total Files": str(len(files)),
        "Total Tests": str(summary.run_count),
        **_format_counts(summary),
        "Total Time": format_duration(summary.seconds),
    }
    parts = ["# Test Results Summary", format_table("Metric", rows), *_format_notes(summary)]
    remaining = len(summary.failures) if limit is None else limit
    for file in files if listed is None else listed:
        parts += _format_file(file, groups, remaining)
        remaining -= min(remaining, len(file.failures))
    if limit is not None and len(summary.failures) > limit:
        shown = f"Showing {limit} of {len(summary.failures)} failing tests"
        parts.append(f"*{shown}. Use the `limit` parameter to see more.*")
    return "\n\n".join(parts)


def _format_counts(file: FileTestReport) -> dict[str, str]:
    """Return the table rows for a file's test counts, such as `Passed`.

    Counts of tests that neither passed nor failed are omitted if they are zero.
    """
    further_counts = {name: count for name, count in file.other_counts.items() if count}
    if file.not_run_count:
        further_counts["Not Run"] = file.not_run_count
    return {
        "Passed": format_share(file.passed_count, file.run_count),
        "Failed": format_share(len(file.failures), file.run_count),
        **{name: str(count) for name, count in further_counts.items()},
    }


def _format_notes(file: FileTestReport) -> list[str]:
    return ["\n".join(f"* {note}" for note in file.notes)] if file.notes else []


def _format_file(file: FileTestReport, groups: Sequence[str], limit: int) -> Iterable[str]:
    """Yield the Markdown parts of the report on one file.

    Args:
        file: The results of the file.
        groups: The headings for failed tests, in the order of the report.
        limit: The maximum number of failed tests to describe.
    """
    yield f"## {file.name}"
    rows = {
        "Tests": str(file.run_count),
        **_format_counts(file),
        "Time": format_duration(file.seconds),
    }
    yield format_table("Metric", rows)
    yield from _format_notes(file)
    for group in groups:
        failures = [failure for failure in file.failures if failure.group == group][:limit]
        limit -= len(failures)
        if failures:
            yield f"### {group}"
            for failure in failures:
                yield from _format_failure(failure)


def _format_failure(failure: FailedTest) -> Iterable[str]:
    """Yield the Markdown parts of the report on a failed test.

    Text in the middle of a long block is omitted.
    """
    yield f"#### {failure.name}"
    yield format_table("Property", failure.rows)
    for block in failure.blocks:
        text = block.text
        # Both ends are shown, because code begins with the call and a traceback ends with the
        # error.
        if len(text) > block.max_characters:
            half = block.max_characters // 2
            text = f"{text[:half]} ... {text[-half:]}"
        yield f"**{block.title}:**\n\n{format_code_block(text, block.language)}"
