"""The tool `DemoFail`."""

from paddock.toolkits.demo.tools import fail_tool as tool

__all__ = ["tool"]
