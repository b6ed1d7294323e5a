"""The tool `EditSymbolDocExamples`."""

from paddock.toolkits.wolfram.symbol_docs import edit_symbol_doc_examples_tool as tool

__all__ = ["tool"]
