"""Inspecting Wolfram Language code: what is wrong with it, or looks so, without running it.

`inspect_code` gives the issues of a text; `RULES` says what is looked for. The markdown that people
read is made by `report`. Standard library only.
"""

from paddock.reports.issues import (
    ALL_ISSUES,
    SEVERITIES,
    SuggestedFix,
    CodeIssue,
    SourceRange,
    IssueFilter,
    Severity,
)
from paddock.wolfram.inspection.rule import InspectionRule
from paddock.wolfram.inspection.table import RULES
from paddock.wolfram.inspection.walking import inspect_code, inspect_source

__all__ = [
    "ALL_ISSUES",
    "RULES",
    "SEVERITIES",
    "SuggestedFix",
    "CodeIssue",
    "SourceRange",
    "InspectionRule",
    "IssueFilter",
    "Severity",
    "inspect_code",
    "inspect_source",
]
