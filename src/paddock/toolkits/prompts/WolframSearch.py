"""The prompt `WolframSearch`."""

from paddock.toolkits.alpha.tools import wolfram_search_prompt as prompt

__all__ = ["prompt"]
