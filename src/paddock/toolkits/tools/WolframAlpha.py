"""The tool `WolframAlpha`."""

from paddock.toolkits.alpha.tools import wolfram_alpha_tool as tool

__all__ = ["tool"]
