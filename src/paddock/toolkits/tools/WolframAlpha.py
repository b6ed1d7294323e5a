"""The tool `WolframAlpha`."""

from paddock.toolkits.alpha.wolfram_alpha import wolfram_alpha_tool as tool

__all__ = ["tool"]
