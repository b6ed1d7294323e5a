"""The tool `BuildPaclet`."""

from paddock.toolkits.wolfram.paclet_tools import build_paclet_tool as tool

__all__ = ["tool"]
