"""The prompt `WolframSearch`."""

from paddock.toolkits.alpha.searches import wolfram_search_prompt as prompt

__all__ = ["prompt"]
