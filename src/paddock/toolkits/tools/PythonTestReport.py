"""The tool `PythonTestReport`."""

from paddock.toolkits.python.tools import python_test_report_tool as tool

__all__ = ["tool"]
