"""The tool `PythonEvaluator`."""

from paddock.toolkits.python.evaluator import evaluator_tool as tool

__all__ = ["tool"]
