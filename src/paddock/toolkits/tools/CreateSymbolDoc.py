"""The tool `CreateSymbolDoc`."""

from paddock.toolkits.wolfram.symbol_docs import create_symbol_doc_tool as tool

__all__ = ["tool"]
