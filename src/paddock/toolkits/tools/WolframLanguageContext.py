"""The tool `WolframLanguageContext`."""

from paddock.toolkits.documentation.contexts import wolfram_language_context_tool as tool

__all__ = ["tool"]
