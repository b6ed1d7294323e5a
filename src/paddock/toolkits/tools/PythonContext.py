"""The tool `PythonContext`."""

from paddock.toolkits.documentation.contexts import python_context_tool as tool

__all__ = ["tool"]
