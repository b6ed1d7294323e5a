"""The markdown that people and models read about an inspection.

What is inspected and where it comes from is the caller's business: here are only texts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.reports.issues import SEVERITIES
from paddock.reports.markdown import fenced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.reports.issues import Issue, Selection
    from paddock.reports.lines import Lines

TITLE = "# Code Inspection Results"
RULE = "---"
_MOST_LINES = 20
"""Of one issue; of what is longer the first and last lines are shown."""
_MOST_CHARACTERS = 240
"""Of one line."""


class Inspected(NamedTuple):
    """A text and its issues; `name` is that of its file, and empty for code that is in none."""

    name: str
    source: Lines
    issues: list[Issue]


class Language(NamedTuple):
    """What is inspected."""

    fence: str
    """What its blocks of code are marked with."""
    tip: str
    """How issues are suppressed; the end of each report."""


def report(
    inspected: Inspected,
    selection: Selection,
    limit: int,
    language: Language,
    *,
    path: str | None = None,
) -> str:
    """What is told of one text, of which `path` is the file."""
    issues = inspected.issues
    if not issues:
        return nothing_found(selection)
    subject = [f"**File:** `{path}`"] if path else []
    shown = issues[:limit]
    parts = [
        *(TITLE, *subject, summary(issues), "## Issues"),
        f"\n\n{RULE}\n\n".join(
            _issue(number, issue, inspected, language)
            for number, issue in enumerate(shown, start=1)
        ),
        *_ending(len(shown), len(issues), language),
    ]
    return "\n\n".join(parts)


def report_directory(
    files: Sequence[Inspected],
    selection: Selection,
    limit: int,
    language: Language,
    *,
    path: str,
    count: int | None = None,
) -> str:
    """What is told of a directory; the limit is used up in the order of the files.

    `count` is how many were inspected, if `files` are only those with issues.
    """
    concerned = [file for file in files if file.issues]
    issues = [issue for file in concerned for issue in file.issues]
    if not issues:
        return nothing_found(selection)
    inspected = len(files) if count is None else count
    counts = f"**Files inspected:** {inspected}\n\n**Files with issues:** {len(concerned)}"
    parts = [TITLE, f"**Directory:** `{path}`", counts, summary(issues), "## Issues by File"]
    left = limit
    for file in concerned:
        if left <= 0:
            break
        shown = file.issues[:left]
        left -= len(shown)
        plural = "" if len(file.issues) == 1 else "s"
        parts.append(f"### {file.name} ({len(file.issues)} issue{plural})")
        parts += [
            _issue(number, issue, file, language) for number, issue in enumerate(shown, start=1)
        ]
    return "\n\n".join([*parts, *_ending(limit - left, len(issues), language)])


def nothing_found(selection: Selection) -> str:
    """What is told when there is nothing to tell."""
    settings = (
        ("Confidence Level", f"{selection.confidence:g}"),
        ("Severity Exclusions", ", ".join(sorted(selection.excluded_severities))),
        ("Tag Exclusions", ", ".join(sorted(selection.excluded_tags))),
    )
    bullets = "\n".join(f"- {name}: {value or '(none)'}" for name, value in settings)
    return "\n\n".join(
        [TITLE, "No issues found matching the specified criteria.", f"**Settings:**\n{bullets}"]
    )


def summary(issues: list[Issue]) -> str:
    """How many issues there are of each severity."""
    counts = dict.fromkeys(SEVERITIES, 0)
    for issue in issues:
        counts[issue.severity] += 1
    rows = [f"| {severity} | {count} |" for severity, count in counts.items() if count]
    return "\n".join(
        [
            "## Summary\n",
            "| Severity | Count |",
            "|----------|-------|",
            *rows,
            f"| **Total** | **{len(issues)}** |",
        ]
    )


def _ending(shown: int, total: int, language: Language) -> list[str]:
    parts = []
    if shown < total:
        parts = [
            RULE,
            f"*Showing {shown} of {total} issues. Use the `limit` parameter to see more.*",
        ]
    return [*parts, RULE, language.tip]


def _issue(number: int, issue: Issue, inspected: Inspected, language: Language) -> str:
    parts = [
        f"### Issue {number}: {issue.name} ({issue.severity}, {round(issue.confidence * 100)}%)",
        f"**Location:** {_location(issue, inspected.name)}",
        f"**Description:** {issue.description}",
        f"**Code:**\n{fenced(_code(issue, inspected.source), language.fence)}",
    ]
    if issue.fixes:
        plural = "" if len(issue.fixes) == 1 else "es"
        labels = "\n".join(f"- {fix.label}" for fix in issue.fixes)
        parts.append(f"**Suggested Fix{plural}:**\n{labels}")
    return "\n\n".join(parts)


def _location(issue: Issue, name: str) -> str:
    place = issue.place
    if name:
        return f"`{name}:{place.line}:{place.column}`"
    start = f"Line {place.line}, Column {place.column}"
    end = f"Line {place.end_line}, Column {place.end_column}"
    return start if start == end else f"{start} - {end}"


def _code(issue: Issue, source: Lines) -> str:
    """The lines of an issue, with one before and one after."""
    last = max(source.line_count, 1)
    numbers = list(range(max(issue.place.line - 1, 1), min(issue.place.end_line + 1, last) + 1))
    if len(numbers) <= _MOST_LINES:
        return "\n".join(_line(number, source) for number in numbers)
    half = _MOST_LINES // 2
    return "\n".join(
        [
            *(_line(number, source) for number in numbers[:half]),
            f"     | … {len(numbers) - 2 * half} more lines",
            *(_line(number, source) for number in numbers[-half:]),
        ]
    )


def _line(number: int, source: Lines) -> str:
    start, end = source.line(number)
    text = source.text[start : min(end, start + _MOST_CHARACTERS)]
    more = "…" if end - start > _MOST_CHARACTERS else ""
    return f"{number:4d} | {text}{more}".rstrip()
