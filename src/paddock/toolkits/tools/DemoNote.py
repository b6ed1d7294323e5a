"""The tool `DemoNote`."""

from paddock.toolkits.demo.tools import keep_note_tool as tool

__all__ = ["tool"]
