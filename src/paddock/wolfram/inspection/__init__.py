"""Inspecting Wolfram Language code: what is wrong with it, or looks so, without running it.

`inspect_code` gives the issues of a text; `RULES` says what is looked for. The markdown that people
read is made by `report`. Standard library only.
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
