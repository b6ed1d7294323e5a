"""The tool `PythonTestReport`."""

from paddock.toolkits.python.python_test_report import python_test_report_tool as tool

__all__ = ["tool"]
