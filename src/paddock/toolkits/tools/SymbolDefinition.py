"""The tool `SymbolDefinition`."""

from paddock.toolkits.wolfram.symbol_definition import symbol_definition_tool as tool

__all__ = ["tool"]
