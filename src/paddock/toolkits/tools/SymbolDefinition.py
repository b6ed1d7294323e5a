"""The tool `SymbolDefinition`."""

from paddock.toolkits.wolfram.tools import symbol_definition_tool as tool

__all__ = ["tool"]
