"""The tool `CodeInspector`."""

from paddock.toolkits.wolfram.code_inspector import code_inspector_tool as tool

__all__ = ["tool"]
