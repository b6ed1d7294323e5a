"""The tool `WolframAlphaContext`."""

from paddock.toolkits.alpha.tools import wolfram_alpha_context_tool as tool

__all__ = ["tool"]
