"""The tool `PythonEvaluator`."""

from paddock.toolkits.python.tools import python_evaluator_tool as tool

__all__ = ["tool"]
