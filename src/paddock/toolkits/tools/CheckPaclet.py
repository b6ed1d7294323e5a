"""The tool `CheckPaclet`."""

from paddock.toolkits.wolfram.paclet_tools import check_paclet_tool as tool

__all__ = ["tool"]
