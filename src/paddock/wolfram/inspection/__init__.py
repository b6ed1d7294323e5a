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
from paddock.wolfram.inspection.inspector import inspect_code, inspect_source
from paddock.wolfram.inspection.rule_table import RULES, InspectionRule

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
