"""The tool `WolframLanguageContext`."""

from paddock.toolkits.documentation.tools import wolfram_language_context_tool as tool

__all__ = ["tool"]
