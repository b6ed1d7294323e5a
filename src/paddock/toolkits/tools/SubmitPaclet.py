"""The tool `SubmitPaclet`."""

from paddock.toolkits.wolfram.paclets import submit_paclet_tool as tool

__all__ = ["tool"]
