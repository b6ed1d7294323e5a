"""The tool `DemoFail`."""

from paddock.toolkits.demo.answers import fail_tool as tool

__all__ = ["tool"]
