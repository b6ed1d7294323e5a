"""The tool `DemoAskModel`."""

from paddock.toolkits.demo.tools import ask_model_tool as tool

__all__ = ["tool"]
