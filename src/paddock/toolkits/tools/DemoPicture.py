"""The tool `DemoPicture`."""

from paddock.toolkits.demo.tools import draw_picture_tool as tool

__all__ = ["tool"]
