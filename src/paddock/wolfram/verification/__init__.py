"""Test files of the Wolfram Language (`.wlt`): reading them, and reporting what came of them.

`read_tests` finds the tests of a file without running anything; `markdown_report` words what came
of them. Running them is left to whoever has a kernel.
"""

from paddock.wolfram.verification.messages import get_atom_text
from paddock.wolfram.verification.reading import (
    SetupStep,
    WolframTest,
    WolframTestFile,
    get_number,
    parse_tests,
)
from paddock.wolfram.verification.report import format_report
from paddock.wolfram.verification.results import WolframFileResult, WolframTestResult, determine_outcome

__all__ = [
    "WolframFileResult",
    "SetupStep",
    "WolframTest",
    "WolframTestFile",
    "WolframTestResult",
    "format_report",
    "get_number",
    "determine_outcome",
    "parse_tests",
    "get_atom_text",
]
