"""The tool `WolframLanguageEvaluator`."""

from paddock.toolkits.wolfram.evaluator import evaluator_tool as tool

__all__ = ["tool"]
