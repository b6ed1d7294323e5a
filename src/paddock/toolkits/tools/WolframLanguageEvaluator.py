"""The tool `WolframLanguageEvaluator`."""

from paddock.toolkits.wolfram.evaluator import wolfram_evaluator_tool as tool

__all__ = ["tool"]
