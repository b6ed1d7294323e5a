"""The prompt `WolframAlphaSearch`."""

from paddock.toolkits.alpha.tools import wolfram_alpha_search_prompt as prompt

__all__ = ["prompt"]
