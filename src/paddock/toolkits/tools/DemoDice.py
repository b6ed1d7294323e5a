"""The tool `DemoDice`."""

from paddock.toolkits.demo.tools import roll_dice_tool as tool

__all__ = ["tool"]
