"""Issues of a code inspection, and the Markdown report about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from paddock.reports.text import format_code_block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.reports.text import LineIndex


Severity = Literal["Fatal", "Error", "Warning", "Scoping", "Remark", "Formatting"]
SEVERITIES: tuple[Severity, ...] = (
    *("Fatal", "Error", "Warning"),
    *("Scoping", "Remark", "Formatting"),
)
"""Ordered from the most severe on."""
REPORT_TITLE = "# Code Inspection Results"
HORIZONTAL_RULE = "---"
_MAX_EXCERPT_LINES = 20  # Longer excerpts are shortened in the middle.
_MAX_LINE_CHARACTERS = 240


class SourceRange(NamedTuple):
    """A range of source text, in characters.

    Lines and columns count from 1. The end is exclusive.
    """

    line: int
    column: int
    end_line: int
    end_column: int


class SuggestedFix(NamedTuple):
    """A replacement text that would fix an issue.

    The label describes the fix to the reader of the report.
    """

    label: str
    location: SourceRange
    replacement: str


class CodeIssue(NamedTuple):
    """An issue that a rule has found.

    The tag names the rule, and `argument` refines it, for example with the name of a function. Code
    in `description` and in the labels of fixes is in backticks.
    """

    tag: str
    argument: str
    severity: Severity
    confidence: float
    description: str
    location: SourceRange
    fixes: tuple[SuggestedFix, ...] = ()

    @property
    def qualified_tag(self) -> str:
        """The tag and its argument, the form that exclusions and suppressing comments use."""
        return f"{self.tag}::{self.argument}" if self.argument else self.tag


class IssueFilter(NamedTuple):
    """A filter by confidence, severity and tag.

    Attributes:
        confidence: The minimum confidence, from 0 to 1.
        excluded_severities: Severities to hide.
        excluded_tags: Tags to hide, with or without an argument.
    """

    confidence: float = 0.0
    excluded_severities: frozenset[str] = frozenset()
    excluded_tags: frozenset[str] = frozenset()

    def matches(self, issue: CodeIssue) -> bool:
        """Return True if an issue passes the filter.

        A tag in `excluded_tags` without an argument excludes the tag with all arguments.
        """
        return (
            issue.confidence >= self.confidence
            and issue.severity not in self.excluded_severities
            and issue.tag not in self.excluded_tags
            and issue.qualified_tag not in self.excluded_tags
        )


ALL_ISSUES = IssueFilter()
"""A filter that passes every issue."""


class InspectedFile(NamedTuple):
    """A source text and its issues. The name is empty for code that is not in a file."""

    name: str
    source: LineIndex
    issues: list[CodeIssue]


class InspectionLanguage(NamedTuple):
    """The language of inspected code."""

    fence_name: str
    """The info string of its code blocks."""
    suppression_tip: str
    """The last paragraph of a report: how to suppress issues."""


def format_source_report(
    inspected: InspectedFile,
    issue_filter: IssueFilter,
    limit: int,
    language: InspectionLanguage,
    *,
    path: str | None = None,
) -> str:
    """Return the report on one source text.

    Args:
        inspected: The text and its issues.
        issue_filter: The filter that selected the issues, for a report without issues.
        limit: The maximum number of issues to show.
        language: The language of the text.
        path: The path of the text's file, if any.
    """
    issues = inspected.issues
    if not issues:
        return format_empty_report(issue_filter)
    subject = [f"**File:** `{path}`"] if path else []
    shown = issues[:limit]
    parts = [
        *(REPORT_TITLE, *subject, format_summary(issues), "## Issues"),
        f"\n\n{HORIZONTAL_RULE}\n\n".join(
            _format_issue(number, issue, inspected, language)
            for number, issue in enumerate(shown, start=1)
        ),
        *_format_footer(len(shown), len(issues), language),
    ]
    return "\n\n".join(parts)


def format_directory_report(
    files: Sequence[InspectedFile],
    issue_filter: IssueFilter,
    limit: int,
    language: InspectionLanguage,
    *,
    path: str,
    file_count: int | None = None,
) -> str:
    """Return the report on a directory.

    Args:
        files: The inspected files, or those with issues.
        issue_filter: The filter that selected the issues, for a report without issues.
        limit: The maximum number of issues to show, in the order of the files.
        language: The language of the files.
        path: The path of the directory.
        file_count: The number of inspected files. Defaults to the number of `files`.
    """
    files_with_issues = [file for file in files if file.issues]
    issues = [issue for file in files_with_issues for issue in file.issues]
    if not issues:
        return format_empty_report(issue_filter)
    inspected_count = len(files) if file_count is None else file_count
    counts = (
        f"**Files inspected:** {inspected_count}\n\n**Files with issues:** {len(files_with_issues)}"
    )
    parts = [
        REPORT_TITLE,
        f"**Directory:** `{path}`",
        counts,
        format_summary(issues),
        "## Issues by File",
    ]
    remaining = limit
    for file in files_with_issues:
        if remaining <= 0:
            break
        shown = file.issues[:remaining]
        remaining -= len(shown)
        plural = "" if len(file.issues) == 1 else "s"
        parts.append(f"### {file.name} ({len(file.issues)} issue{plural})")
        parts += [
            _format_issue(number, issue, file, language)
            for number, issue in enumerate(shown, start=1)
        ]
    return "\n\n".join([*parts, *_format_footer(limit - remaining, len(issues), language)])


def format_empty_report(issue_filter: IssueFilter) -> str:
    """Return the report for an inspection without issues."""
    settings = (
        ("Confidence Level", f"{issue_filter.confidence:g}"),
        ("Severity Exclusions", ", ".join(sorted(issue_filter.excluded_severities))),
        ("Tag Exclusions", ", ".join(sorted(issue_filter.excluded_tags))),
    )
    bullets = "\n".join(f"- {name}: {value or '(none)'}" for name, value in settings)
    return "\n\n".join(
        [
            REPORT_TITLE,
            "No issues found matching the specified criteria.",
            f"**Settings:**\n{bullets}",
        ]
    )


def format_summary(issues: list[CodeIssue]) -> str:
    """Return a table with the number of issues of each severity."""
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


def _format_footer(shown: int, total: int, language: InspectionLanguage) -> list[str]:
    """Return the end of a report: a note about issues that are not shown, and a tip."""
    parts = []
    if shown < total:
        parts = [
            HORIZONTAL_RULE,
            f"*Showing {shown} of {total} issues. Use the `limit` parameter to see more.*",
        ]
    return [*parts, HORIZONTAL_RULE, language.suppression_tip]


def _format_issue(
    number: int, issue: CodeIssue, inspected: InspectedFile, language: InspectionLanguage
) -> str:
    """Return the section about one issue: its rule, location, description, code and fixes."""
    excerpt = format_code_block(_format_excerpt(issue, inspected.source), language.fence_name)
    confidence = f"{round(issue.confidence * 100)}%"
    parts = [
        f"### Issue {number}: {issue.qualified_tag} ({issue.severity}, {confidence})",
        f"**Location:** {_format_location(issue, inspected.name)}",
        f"**Description:** {issue.description}",
        f"**Code:**\n{excerpt}",
    ]
    if issue.fixes:
        plural = "" if len(issue.fixes) == 1 else "es"
        labels = "\n".join(f"- {fix.label}" for fix in issue.fixes)
        parts.append(f"**Suggested Fix{plural}:**\n{labels}")
    return "\n\n".join(parts)


def _format_location(issue: CodeIssue, name: str) -> str:
    """Return the location of an issue: the start for a file, or the whole range for code."""
    source_range = issue.location
    if name:
        return f"`{name}:{source_range.line}:{source_range.column}`"
    start = f"Line {source_range.line}, Column {source_range.column}"
    end = f"Line {source_range.end_line}, Column {source_range.end_column}"
    return start if start == end else f"{start} - {end}"


def _format_excerpt(issue: CodeIssue, source: LineIndex) -> str:
    """Return the lines of an issue, with one line before and one after.

    Only the beginning and the end of a long excerpt are shown.
    """
    last = max(source.line_count, 1)
    numbers = list(
        range(max(issue.location.line - 1, 1), min(issue.location.end_line + 1, last) + 1)
    )
    if len(numbers) <= _MAX_EXCERPT_LINES:
        return "\n".join(_format_line(number, source) for number in numbers)
    half = _MAX_EXCERPT_LINES // 2
    return "\n".join(
        [
            *(_format_line(number, source) for number in numbers[:half]),
            f"     | … {len(numbers) - 2 * half} more lines",
            *(_format_line(number, source) for number in numbers[-half:]),
        ]
    )


def _format_line(number: int, source: LineIndex) -> str:
    start, end = source.get_line_span(number)
    text = source.text[start : min(end, start + _MAX_LINE_CHARACTERS)]
    more = "…" if end - start > _MAX_LINE_CHARACTERS else ""
    return f"{number:4d} | {text}{more}".rstrip()
