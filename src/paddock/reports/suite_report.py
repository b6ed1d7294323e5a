"""The report on tests: a summary, each file, and what is wrong with each test that failed."""

from __future__ import annotations

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

MAX_BLOCK_CHARACTERS = 500
"""Of a piece of code; of a longer one the two ends are shown."""


class ReportBlock(NamedTuple):
    """A piece of code or text that belongs to a test."""

    title: str
    text: str
    language: str = ""
    max_characters: int = MAX_BLOCK_CHARACTERS


@dataclass(slots=True)
class FailedTest:
    """A test that did not pass, as it is told."""

    name: str
    group: str
    """The heading it stands under: what is wrong with all tests there."""
    rows: dict[str, str]
    blocks: list[ReportBlock] = field(default_factory=list)


@dataclass(slots=True)
class FileTestReport:
    """What came of the tests of one file, as it is told."""

    name: str
    passed_count: int
    failures: list[FailedTest]
    seconds: float
    notes: list[str] = field(default_factory=list)
    not_run_count: int = 0
    other_counts: dict[str, int] = field(default_factory=dict)
    """Other counts, by what they are of: tests that were skipped, …"""
    has_other_failure: bool = False
    """Whether something besides its tests failed."""

    @property
    def run_count(self) -> int:
        """How many tests were run."""
        return self.passed_count + len(self.failures)

    @property
    def is_success(self) -> bool:
        """Whether all was run, and all was well."""
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
    """All that is to be told about some test files, failures group by group.

    `seconds` is the time in all, if it is not the sum of theirs; `notes` are about the run as a
    whole, and so is `is_success`. The files that are told one by one are those `listed`, and so
    many failures at most are told in full.
    """
    whole = FileTestReport(
        "",
        sum(file.passed_count for file in files),
        [failure for file in files for failure in file.failures],
        sum(file.seconds for file in files) if seconds is None else seconds,
        list(notes),
        sum(file.not_run_count for file in files),
        _sum_other_counts(files),
    )
    is_success = is_success and all(file.is_success for file in files)
    rows = {
        "Overall Result": "Success" if is_success else "Failure",
        "Total Files": str(len(files)),
        "Total Tests": str(whole.run_count),
        **_format_counts(whole),
        "Total Time": format_duration(whole.seconds),
    }
    parts = ["# Test Results Summary", format_table("Metric", rows), *_format_notes(whole)]
    left = len(whole.failures) if limit is None else limit
    for file in files if listed is None else listed:
        parts += _format_file(file, groups, left)
        left -= min(left, len(file.failures))
    if limit is not None and len(whole.failures) > limit:
        told = f"Showing {limit} of {len(whole.failures)} failing tests"
        parts.append(f"*{told}. Use the `limit` parameter to see more.*")
    return "\n\n".join(parts)


def _sum_other_counts(files: Sequence[FileTestReport]) -> dict[str, int]:
    names = dict.fromkeys(name for file in files for name in file.other_counts)
    return {name: sum(file.other_counts.get(name, 0) for file in files) for name in names}


def _format_counts(file: FileTestReport) -> dict[str, str]:
    counts = {name: count for name, count in file.other_counts.items() if count}
    if file.not_run_count:
        counts["Not Run"] = file.not_run_count
    return {
        "Passed": format_share(file.passed_count, file.run_count),
        "Failed": format_share(len(file.failures), file.run_count),
        **{name: str(count) for name, count in counts.items()},
    }


def _format_notes(file: FileTestReport) -> list[str]:
    return ["\n".join(f"* {note}" for note in file.notes)] if file.notes else []


def _format_file(file: FileTestReport, groups: Sequence[str], limit: int) -> Iterable[str]:
    yield f"## {file.name}"
    rows = {
        "Tests": str(file.run_count),
        **_format_counts(file),
        "Time": format_duration(file.seconds),
    }
    yield format_table("Metric", rows)
    yield from _format_notes(file)
    for group in groups:
        failing = [failure for failure in file.failures if failure.group == group][:limit]
        limit -= len(failing)
        if failing:
            yield f"### {group}"
            for failure in failing:
                yield from _format_failure(failure)


def _format_failure(failure: FailedTest) -> Iterable[str]:
    yield f"#### {failure.name}"
    yield format_table("Property", failure.rows)
    for block in failure.blocks:
        text = block.text
        if len(text) > block.max_characters:
            end = block.max_characters // 2
            text = f"{text[:end]} ... {text[-end:]}"
        yield f"**{block.title}:**\n\n{format_code_block(text, block.language)}"
