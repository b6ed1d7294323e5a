"""The tool `CreateSymbolDoc`."""

from paddock.toolkits.wolfram.paclet_tools import create_symbol_doc_tool as tool

__all__ = ["tool"]
