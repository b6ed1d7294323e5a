"""The tool `PythonContext`."""

from paddock.toolkits.documentation.tools import python_context_tool as tool

__all__ = ["tool"]
