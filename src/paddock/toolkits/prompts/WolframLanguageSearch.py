"""The prompt `WolframLanguageSearch`."""

from paddock.toolkits.documentation.tools import wolfram_language_search_prompt as prompt

__all__ = ["prompt"]
