"""The tool `CodeInspector`."""

from paddock.toolkits.wolfram.tools import code_inspector_tool as tool

__all__ = ["tool"]
