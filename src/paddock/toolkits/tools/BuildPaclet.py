"""The tool `BuildPaclet`."""

from paddock.toolkits.wolfram.paclets import build_paclet_tool as tool

__all__ = ["tool"]
