"""The tool `WolframContext`."""

from paddock.toolkits.alpha.tools import wolfram_context_tool as tool

__all__ = ["tool"]
