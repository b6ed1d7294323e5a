"""The tool `PythonCodeInspector`."""

from paddock.toolkits.python.python_code_inspector import python_code_inspector_tool as tool

__all__ = ["tool"]
