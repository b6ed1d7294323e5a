"""The tool `DemoAskModel`."""

from paddock.toolkits.demo.questions import ask_model_tool as tool

__all__ = ["tool"]
