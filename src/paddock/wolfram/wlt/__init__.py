"""Wolfram Language test files (`.wlt`): parse the tests and report their results.

`parse_tests` finds the tests in a file without running anything, and `format_report` formats their
results. A kernel is needed to run them; see `paddock.toolkits.wolfram.wlt_runner`.
"""

from paddock.wolfram.wlt.wlt_parser import (
    SetupStep,
    WolframTest,
    WolframTestFile,
    get_atom_text,
    get_number,
    parse_tests,
)
from paddock.wolfram.wlt.wlt_report import (
    WolframTestResult,
    add_test_result,
    determine_outcome,
    format_report,
)

__all__ = [
    "SetupStep",
    "WolframTest",
    "WolframTestFile",
    "WolframTestResult",
    "add_test_result",
    "determine_outcome",
    "format_report",
    "get_atom_text",
    "get_number",
    "parse_tests",
]
