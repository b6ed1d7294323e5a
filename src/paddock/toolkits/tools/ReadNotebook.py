"""The tool `ReadNotebook`."""

from paddock.toolkits.notebooks import read_notebook_tool as tool

__all__ = ["tool"]
