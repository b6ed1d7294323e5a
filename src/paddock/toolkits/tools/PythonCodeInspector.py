"""The tool `PythonCodeInspector`."""

from paddock.toolkits.python.tools import python_code_inspector_tool as tool

__all__ = ["tool"]
