"""The tool `PythonSymbolDefinition`."""

from paddock.toolkits.python.tools import python_symbol_definition_tool as tool

__all__ = ["tool"]
