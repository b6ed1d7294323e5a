"""What an inspection tells: issues, where they are, and what would mend them."""

from __future__ import annotations

from typing import Literal, NamedTuple

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
