"""The report on tests: a summary, each file, and what is wrong with each test that failed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from paddock.reports.markdown import fenced, share, table, time_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST_CHARACTERS = 500
"""Of a piece of code; of a longer one the two ends are shown."""


class Block(NamedTuple):
    """A piece of code or text that belongs to a test."""

    title: str
    text: str
    language: str = ""
    most_characters: int = MOST_CHARACTERS


@dataclass(slots=True)
class FailedTest:
    """A test that did not pass, as it is told."""

    name: str
    group: str
    """The heading it stands under: what is wrong with all tests there."""
    rows: dict[str, str]
    blocks: list[Block] = field(default_factory=list)


@dataclass(slots=True)
class TestedFile:
    """What came of the tests of one file, as it is told."""

    name: str
    passed: int
    failures: list[FailedTest]
    seconds: float
    notes: list[str] = field(default_factory=list)
    not_run: int = 0
    further: dict[str, int] = field(default_factory=dict)
    """Other counts, by what they are of: tests that were skipped, …"""
    is_broken: bool = False
    """Whether something besides its tests failed."""

    @property
    def total(self) -> int:
        """How many tests were run."""
        return self.passed + len(self.failures)

    @property
    def is_success(self) -> bool:
        """Whether all was run, and all was well."""
        return not (self.failures or self.not_run or self.is_broken)


def report(
    files: Sequence[TestedFile],
    groups: Sequence[str],
    *,
    seconds: float | None = None,
    notes: Sequence[str] = (),
    is_success: bool = True,
    listed: Sequence[TestedFile] | None = None,
    limit: int | None = None,
) -> str:
    """All that is to be told about some test files, failures group by group.

    `seconds` is the time in all, if it is not the sum of theirs; `notes` are about the run as a
    whole, and so is `is_success`. The files that are told one by one are those `listed`, and so
    many failures at most are told in full.
    """
    whole = TestedFile(
        "",
        sum(file.passed for file in files),
        [failure for file in files for failure in file.failures],
        sum(file.seconds for file in files) if seconds is None else seconds,
        list(notes),
        sum(file.not_run for file in files),
        _added(files),
    )
    is_success = is_success and all(file.is_success for file in files)
    rows = {
        "Overall Result": "Success" if is_success else "Failure",
        "Total Files": str(len(files)),
        "Total Tests": str(whole.total),
        **_counts(whole),
        "Total Time": time_text(whole.seconds),
    }
    parts = ["# Test Results Summary", table("Metric", rows), *_notes(whole)]
    left = len(whole.failures) if limit is None else limit
    for file in files if listed is None else listed:
        parts += _file(file, groups, left)
        left -= min(left, len(file.failures))
    if limit is not None and len(whole.failures) > limit:
        told = f"Showing {limit} of {len(whole.failures)} failing tests"
        parts.append(f"*{told}. Use the `limit` parameter to see more.*")
    return "\n\n".join(parts)


def _added(files: Sequence[TestedFile]) -> dict[str, int]:
    names = dict.fromkeys(name for file in files for name in file.further)
    return {name: sum(file.further.get(name, 0) for file in files) for name in names}


def _counts(file: TestedFile) -> dict[str, str]:
    counts = {name: count for name, count in file.further.items() if count}
    if file.not_run:
        counts["Not Run"] = file.not_run
    return {
        "Passed": share(file.passed, file.total),
        "Failed": share(len(file.failures), file.total),
        **{name: str(count) for name, count in counts.items()},
    }


def _notes(file: TestedFile) -> list[str]:
    return ["\n".join(f"* {note}" for note in file.notes)] if file.notes else []


def _file(file: TestedFile, groups: Sequence[str], limit: int) -> Iterable[str]:
    yield f"## {file.name}"
    rows = {"Tests": str(file.total), **_counts(file), "Time": time_text(file.seconds)}
    yield table("Metric", rows)
    yield from _notes(file)
    for group in groups:
        failing = [failure for failure in file.failures if failure.group == group][:limit]
        limit -= len(failing)
        if failing:
            yield f"### {group}"
            for failure in failing:
                yield from _failing(failure)


def _failing(failure: FailedTest) -> Iterable[str]:
    yield f"#### {failure.name}"
    yield table("Property", failure.rows)
    for block in failure.blocks:
        text = block.text
        if len(text) > block.most_characters:
            end = block.most_characters // 2
            text = f"{text[:end]} ... {text[-end:]}"
        yield f"**{block.title}:**\n\n{fenced(text, block.language)}"
