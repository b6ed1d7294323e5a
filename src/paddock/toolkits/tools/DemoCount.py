"""The tool `DemoCount`."""

from paddock.toolkits.demo.tools import count_slowly_tool as tool

__all__ = ["tool"]
