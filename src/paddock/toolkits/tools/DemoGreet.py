"""The tool `DemoGreet`."""

from paddock.toolkits.demo.tools import greet_tool as tool

__all__ = ["tool"]
