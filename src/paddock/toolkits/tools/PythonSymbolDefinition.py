"""The tool `PythonSymbolDefinition`."""

from paddock.toolkits.python.python_symbol_definition import python_symbol_definition_tool as tool

__all__ = ["tool"]
