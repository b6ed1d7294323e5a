"""The tool `EditSymbolDocExamples`."""

from paddock.toolkits.wolfram.paclet_tools import edit_symbol_doc_examples_tool as tool

__all__ = ["tool"]
