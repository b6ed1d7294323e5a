"""The tool `DemoGreet`."""

from paddock.toolkits.demo.answers import greet_tool as tool

__all__ = ["tool"]
