"""The tool `DemoNote`."""

from paddock.toolkits.demo.notes import keep_note_tool as tool

__all__ = ["tool"]
