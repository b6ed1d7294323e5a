"""The tool `PythonDoc`."""

from paddock.toolkits.python.python_doc import python_doc_tool as tool

__all__ = ["tool"]
