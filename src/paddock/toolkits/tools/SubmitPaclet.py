"""The tool `SubmitPaclet`."""

from paddock.toolkits.wolfram.paclet_tools import submit_paclet_tool as tool

__all__ = ["tool"]
