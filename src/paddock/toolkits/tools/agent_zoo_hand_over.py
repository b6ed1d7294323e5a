"""The tool `agent_zoo_hand_over`."""

from paddock.toolkits.zoo.tools import hand_over_tool as tool

__all__ = ["tool"]
