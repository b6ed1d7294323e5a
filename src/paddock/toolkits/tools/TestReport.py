"""The tool `TestReport`."""

from paddock.toolkits.wolfram.tools import wolfram_test_report_tool as tool

__all__ = ["tool"]
