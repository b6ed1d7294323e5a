"""The tool `DemoPicture`."""

from paddock.toolkits.demo.answers import draw_picture_tool as tool

__all__ = ["tool"]
