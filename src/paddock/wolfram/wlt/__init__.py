"""Test files of the Wolfram Language (`.wlt`): reading them, and reporting what came of them.

`read_tests` finds the tests of a file without running anything; `markdown_report` words what came
of them. Running them is left to whoever has a kernel.
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
    WolframFileResult,
    WolframTestResult,
    determine_outcome,
    format_report,
)

__all__ = [
    "SetupStep",
    "WolframFileResult",
    "WolframTest",
    "WolframTestFile",
    "WolframTestResult",
    "determine_outcome",
    "format_report",
    "get_atom_text",
    "get_number",
    "parse_tests",
]
