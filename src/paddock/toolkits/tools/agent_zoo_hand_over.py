"""The tool `agent_zoo_hand_over`."""

from paddock.toolkits.zoo.brains import hand_over_tool as tool

__all__ = ["tool"]
