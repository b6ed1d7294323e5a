"""The tool `WolframContext`."""

from paddock.toolkits.alpha.combined import wolfram_context_tool as tool

__all__ = ["tool"]
