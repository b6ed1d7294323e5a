"""The prompt `WolframAlphaSearch`."""

from paddock.toolkits.alpha.searches import wolfram_alpha_search_prompt as prompt

__all__ = ["prompt"]
