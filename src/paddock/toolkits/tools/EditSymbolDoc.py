"""The tool `EditSymbolDoc`."""

from paddock.toolkits.wolfram.paclet_tools import edit_symbol_doc_tool as tool

__all__ = ["tool"]
