"""Inspecting Wolfram Language code: what is wrong with it, or looks so, without running it.

`inspect_code` gives the issues of a text; `RULES` says what is looked for. The markdown that people
read is made by `report`. Standard library only.
"""

from paddock.reports.issues import (
    EVERYTHING,
    SEVERITIES,
    Fix,
    Issue,
    Place,
    Selection,
    Severity,
)
from paddock.wolfram.inspection.rule import Rule
from paddock.wolfram.inspection.table import RULES
from paddock.wolfram.inspection.walking import inspect_code, inspect_source

__all__ = [
    "EVERYTHING",
    "RULES",
    "SEVERITIES",
    "Fix",
    "Issue",
    "Place",
    "Rule",
    "Selection",
    "Severity",
    "inspect_code",
    "inspect_source",
]
