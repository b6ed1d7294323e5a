"""The tool `WolframLanguageEvaluator`."""

from paddock.toolkits.wolfram.tools import wolfram_evaluator_tool as tool

__all__ = ["tool"]
