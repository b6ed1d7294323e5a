"""The tool `EditSymbolDoc`."""

from paddock.toolkits.wolfram.symbol_docs import edit_symbol_doc_tool as tool

__all__ = ["tool"]
