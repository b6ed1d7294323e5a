"""The tool `ReadNotebook`."""

from paddock.toolkits.wolfram.notebooks import read_notebook_tool as tool

__all__ = ["tool"]
