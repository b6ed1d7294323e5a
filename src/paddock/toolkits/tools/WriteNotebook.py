"""The tool `WriteNotebook`."""

from paddock.toolkits.notebooks import write_notebook_tool as tool

__all__ = ["tool"]
