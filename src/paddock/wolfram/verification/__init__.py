"""Test files of the Wolfram Language (`.wlt`): reading them, and reporting what came of them.

`read_tests` finds the tests of a file without running anything; `markdown_report` words what came
of them. Running them is left to whoever has a kernel.
"""

from paddock.wolfram.verification.messages import text_of
from paddock.wolfram.verification.reading import (
    Step,
    WolframTest,
    WolframTestFile,
    number_of,
    read_tests,
)
from paddock.wolfram.verification.report import markdown_report
from paddock.wolfram.verification.results import FileResult, WolframTestResult, outcome_of

__all__ = [
    "FileResult",
    "Step",
    "WolframTest",
    "WolframTestFile",
    "WolframTestResult",
    "markdown_report",
    "number_of",
    "outcome_of",
    "read_tests",
    "text_of",
]
