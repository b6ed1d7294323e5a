"""The tool `CheckPaclet`."""

from paddock.toolkits.wolfram.paclets import check_paclet_tool as tool

__all__ = ["tool"]
