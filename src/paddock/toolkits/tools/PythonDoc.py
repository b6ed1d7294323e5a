"""The tool `PythonDoc`."""

from paddock.toolkits.python.tools import python_doc_tool as tool

__all__ = ["tool"]
