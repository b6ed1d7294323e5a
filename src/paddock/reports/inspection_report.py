"""Issues found in a code inspection, and the Markdown report on them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

from paddock.reports.text import format_code_block

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.reports.text import LineIndex


Severity = Literal["Fatal", "Error", "Warning", "Scoping", "Remark", "Formatting"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""Ordered from most to least severe."""
REPORT_TITLE = "# Code Inspection Results"
HORIZONTAL_RULE = "---"
_MAX_EXCERPT_LINES = 20  # Longer excerpts are shortened in the middle.
_MAX_LINE_CHARACTERS = 240


class SourceRange(NamedTuple):
    """A range of characters in a source text.

    Lines and columns are counted from 1. The end position is exclusive.
    """

    line: int
    column: int
    end_line: int
    end_column: int


class SuggestedFix(NamedTuple):
    """A replacement of source text that would fix an issue."""

    label: str
    """The description of the fix for the reader of the report."""
    location: SourceRange
    """The range of the text to replace."""
    replacement: str
    """The new text."""


class CodeIssue(NamedTuple):
    """An issue found by inspecting source code."""

    tag: str
    """The name of the rule that was violated."""
    argument: str
    """A refinement of the tag, such as a function name, or an empty string."""
    severity: Severity
    confidence: float
    """The confidence that the issue is real, from 0 to 1."""
    description: str
    """The description in Markdown, with code in backticks."""
    location: SourceRange
    fixes: tuple[SuggestedFix, ...] = ()

    @property
    def qualified_tag(self) -> str:
        """The tag with its argument, as `Tag::argument`, for exclusions and code comments."""
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
        """Return whether an issue passes the filter and should be reported.

        An excluded tag without an argument also excludes the tag with any argument.
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
    """The last paragraph of a report, which explains how to suppress issues."""


class InspectionReporter(NamedTuple):
    """Writer of the Markdown reports for one inspection."""

    language: InspectionLanguage
    issue_filter: IssueFilter
    """The filter that selected the issues, for a report without issues."""
    max_issues: int
    """The maximum number of issues to show, in the order of the files."""

    def report_source(self, inspected: InspectedFile, path: str | None = None) -> str:
        """Return the Markdown report on one inspected source text.

        Args:
            inspected: The source text and its issues.
            path: The path of the file, or None for code without a file.
        """
        issues = inspected.issues
        if not issues:
            return self._report_no_issues()
        sections = self._format_issues(inspected, self.max_issues)
        parts = [
            REPORT_TITLE,
            *([f"**File:** `{path}`"] if path else []),
            _format_summary(issues),
            "## Issues",
            f"\n\n{HORIZONTAL_RULE}\n\n".join(sections),
        ]
        return "\n\n".join([*parts, *self._format_footer(len(issues))])

    def report_directory(
        self, files: Sequence[InspectedFile], path: str, file_count: int | None = None
    ) -> str:
        """Return the Markdown report on all inspected files in a directory.

        Args:
            files: The inspected files. Files without issues may be omitted.
            path: The path of the directory.
            file_count: The number of inspected files. Defaults to the number of `files`.
        """
        files_with_issues = [file for file in files if file.issues]
        issues = [issue for file in files_with_issues for issue in file.issues]
        if not issues:
            return self._report_no_issues()
        parts = [
            REPORT_TITLE,
            f"**Directory:** `{path}`",
            f"**Files inspected:** {len(files) if file_count is None else file_count}",
            f"**Files with issues:** {len(files_with_issues)}",
            _format_summary(issues),
            "## Issues by File",
        ]
        remaining = self.max_issues
        for file in files_with_issues:
            if remaining > 0:
                plural = "" if len(file.issues) == 1 else "s"
                parts.append(f"### {file.name} ({len(file.issues)} issue{plural})")
                parts += self._format_issues(file, remaining)
                remaining -= len(file.issues)
        return "\n\n".join([*parts, *self._format_footer(len(issues))])

    def _report_no_issues(self) -> str:
        """Return the report for an inspection with no issues left after filtering.

        It lists the filter settings, because they may have hidden some issues.
        """
        settings = (
            ("Confidence Level", f"{self.issue_filter.confidence:g}"),
            ("Severity Exclusions", ", ".join(sorted(self.issue_filter.excluded_severities))),
            ("Tag Exclusions", ", ".join(sorted(self.issue_filter.excluded_tags))),
        )
        bullets = "\n".join(f"- {name}: {value or '(none)'}" for name, value in settings)
        message = "No issues found matching the specified criteria."
        return f"{REPORT_TITLE}\n\n{message}\n\n**Settings:**\n{bullets}"

    def _format_issues(self, inspected: InspectedFile, max_issues: int) -> list[str]:
        """Return a section for each of the first issues in a text."""
        return [
            self._format_issue(number, issue, inspected)
            for number, issue in enumerate(inspected.issues[:max_issues], start=1)
        ]

    def _format_issue(self, number: int, issue: CodeIssue, inspected: InspectedFile) -> str:
        """Return the section on one issue: its rule, location, description, code and fixes."""
        excerpt = _format_excerpt(issue.location, inspected.source)
        confidence = f"{round(issue.confidence * 100)}%"
        parts = [
            f"### Issue {number}: {issue.qualified_tag} ({issue.severity}, {confidence})",
            f"**Location:** {_format_location(issue.location, inspected.name)}",
            f"**Description:** {issue.description}",
            f"**Code:**\n{format_code_block(excerpt, self.language.fence_name)}",
        ]
        if issue.fixes:
            plural = "" if len(issue.fixes) == 1 else "es"
            labels = "\n".join(f"- {fix.label}" for fix in issue.fixes)
            parts.append(f"**Suggested Fix{plural}:**\n{labels}")
        return "\n\n".join(parts)

    def _format_footer(self, issue_count: int) -> list[str]:
        """Return the end of a report: a note about any omitted issues, and a tip."""
        tip_parts = [HORIZONTAL_RULE, self.language.suppression_tip]
        if issue_count <= self.max_issues:
            return tip_parts
        omission_note = (
            f"*Showing {self.max_issues} of {issue_count} issues. "
            "Use the `limit` parameter to see more.*"
        )
        return [HORIZONTAL_RULE, omission_note, *tip_parts]


def _format_summary(issues: list[CodeIssue]) -> str:
    """Return a table with the number of issues of each severity."""
    counts = Counter(issue.severity for issue in issues)
    rows = [f"| {severity} | {counts[severity]} |" for severity in SEVERITIES if counts[severity]]
    header = "## Summary\n\n| Severity | Count |\n|----------|-------|"
    return "\n".join([header, *rows, f"| **Total** | **{len(issues)}** |"])


def _format_location(location: SourceRange, name: str) -> str:
    """Return the location of an issue: the start for a file, or the whole range for code."""
    if name:
        return f"`{name}:{location.line}:{location.column}`"
    start = f"Line {location.line}, Column {location.column}"
    end = f"Line {location.end_line}, Column {location.end_column}"
    return start if start == end else f"{start} - {end}"


def _format_excerpt(location: SourceRange, source: LineIndex) -> str:
    """Return the numbered source lines of an issue, with one line of context on each side.

    Lines in the middle of a long excerpt are omitted.
    """
    first = max(location.line - 1, 1)
    last = min(location.end_line + 1, max(source.line_count, 1))
    lines = [_format_line(number, source) for number in range(first, last + 1)]
    # An excerpt can be long: an issue about an unclosed bracket extends to the end of the file.
    if len(lines) > _MAX_EXCERPT_LINES:
        half = _MAX_EXCERPT_LINES // 2
        lines[half:-half] = [f"     | … {len(lines) - 2 * half} more lines"]
    return "\n".join(lines)


def _format_line(number: int, source: LineIndex) -> str:
    start, end = source.get_line_span(number)
    text = source.text[start : min(end, start + _MAX_LINE_CHARACTERS)]
    more = "…" if end - start > _MAX_LINE_CHARACTERS else ""
    return f"{number:4d} | {text}{more}".rstrip()
