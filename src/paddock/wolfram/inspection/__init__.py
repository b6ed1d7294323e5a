"""Static inspection of Wolfram Language code.

`inspect_code` returns the issues in a text, and `RULES` lists the rules.
`paddock.reports.inspection_report` formats issues as Markdown.
"""

from paddock.reports.inspection_report import (
    ALL_ISSUES,
    SEVERITIES,
    CodeIssue,
    IssueFilter,
    Severity,
    SourceRange,
    SuggestedFix,
)
from paddock.wolfram.inspection.inspection import InspectionRule
from paddock.wolfram.inspection.inspector import RULES, inspect_code, inspect_source

__all__ = [
    "ALL_ISSUES",
    "RULES",
    "SEVERITIES",
    "CodeIssue",
    "InspectionRule",
    "IssueFilter",
    "Severity",
    "SourceRange",
    "SuggestedFix",
    "inspect_code",
    "inspect_source",
]
