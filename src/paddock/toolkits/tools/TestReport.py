"""The tool `TestReport`."""

from paddock.toolkits.wolfram.test_report import wolfram_test_report_tool as tool

__all__ = ["tool"]
