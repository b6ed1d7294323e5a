"""What an inspection tells: issues, where they are, and what would mend them.

The markdown that people and models read about an inspection.

What is inspected and where it comes from is the caller's business: here are only texts.
"""

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
"""The gravest first."""


class SourceRange(NamedTuple):
    """Lines and columns from 1, in characters as they are written; the end is the next column."""

    line: int
    column: int
    end_line: int
    end_column: int


class SuggestedFix(NamedTuple):
    """Something that would mend an issue: `text` in the place of what is there."""

    label: str
    location: SourceRange
    replacement: str


class CodeIssue(NamedTuple):
    """Something that a rule has found.

    `argument` says more of the tag: which function an issue is about. Code in `description` and in
    the labels of fixes stands in backticks.
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
        """The tag with its argument, as exclusions and suppressing comments write it."""
        return f"{self.tag}::{self.argument}" if self.argument else self.tag


class IssueFilter(NamedTuple):
    """Which issues are wanted: those that are sure enough and not excluded."""

    confidence: float = 0.0
    excluded_severities: frozenset[str] = frozenset()
    excluded_tags: frozenset[str] = frozenset()

    def matches(self, issue: CodeIssue) -> bool:
        """Whether an issue is wanted; a tag without its argument excludes all of the tag."""
        return (
            issue.confidence >= self.confidence
            and issue.severity not in self.excluded_severities
            and issue.tag not in self.excluded_tags
            and issue.qualified_tag not in self.excluded_tags
        )


ALL_ISSUES = IssueFilter()
"""All that there is."""


REPORT_TITLE = "# Code Inspection Results"
HORIZONTAL_RULE = "---"
_MAX_EXCERPT_LINES = 20
"""Of one issue; of what is longer the first and last lines are shown."""
_MAX_LINE_CHARACTERS = 240
"""Of one line."""


class InspectedFile(NamedTuple):
    """A text and its issues; `name` is that of its file, and empty for code that is in none."""

    name: str
    source: LineIndex
    issues: list[CodeIssue]


class InspectionLanguage(NamedTuple):
    """What is inspected."""

    fence_name: str
    """What its blocks of code are marked with."""
    suppression_tip: str
    """How issues are suppressed; the end of each report."""


def format_source_report(
    inspected: InspectedFile,
    selection: IssueFilter,
    limit: int,
    language: InspectionLanguage,
    *,
    path: str | None = None,
) -> str:
    """What is told of one text, of which `path` is the file."""
    issues = inspected.issues
    if not issues:
        return format_empty_report(selection)
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
    selection: IssueFilter,
    limit: int,
    language: InspectionLanguage,
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
        return format_empty_report(selection)
    inspected = len(files) if count is None else count
    counts = f"**Files inspected:** {inspected}\n\n**Files with issues:** {len(concerned)}"
    parts = [
        REPORT_TITLE,
        f"**Directory:** `{path}`",
        counts,
        format_summary(issues),
        "## Issues by File",
    ]
    left = limit
    for file in concerned:
        if left <= 0:
            break
        shown = file.issues[:left]
        left -= len(shown)
        plural = "" if len(file.issues) == 1 else "s"
        parts.append(f"### {file.name} ({len(file.issues)} issue{plural})")
        parts += [
            _format_issue(number, issue, file, language)
            for number, issue in enumerate(shown, start=1)
        ]
    return "\n\n".join([*parts, *_format_footer(limit - left, len(issues), language)])


def format_empty_report(selection: IssueFilter) -> str:
    """What is told when there is nothing to tell."""
    settings = (
        ("Confidence Level", f"{selection.confidence:g}"),
        ("Severity Exclusions", ", ".join(sorted(selection.excluded_severities))),
        ("Tag Exclusions", ", ".join(sorted(selection.excluded_tags))),
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


def _format_footer(shown: int, total: int, language: InspectionLanguage) -> list[str]:
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
    parts = [
        f"### Issue {number}: {issue.qualified_tag} ({issue.severity}, {round(issue.confidence * 100)}%)",
        f"**Location:** {_format_location(issue, inspected.name)}",
        f"**Description:** {issue.description}",
        f"**Code:**\n{format_code_block(_format_excerpt(issue, inspected.source), language.fence_name)}",
    ]
    if issue.fixes:
        plural = "" if len(issue.fixes) == 1 else "es"
        labels = "\n".join(f"- {fix.label}" for fix in issue.fixes)
        parts.append(f"**Suggested Fix{plural}:**\n{labels}")
    return "\n\n".join(parts)


def _format_location(issue: CodeIssue, name: str) -> str:
    place = issue.location
    if name:
        return f"`{name}:{place.line}:{place.column}`"
    start = f"Line {place.line}, Column {place.column}"
    end = f"Line {place.end_line}, Column {place.end_column}"
    return start if start == end else f"{start} - {end}"


def _format_excerpt(issue: CodeIssue, source: LineIndex) -> str:
    """The lines of an issue, with one before and one after."""
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
