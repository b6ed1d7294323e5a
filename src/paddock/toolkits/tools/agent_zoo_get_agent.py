"""The tool `agent_zoo_get_agent`."""

from paddock.toolkits.zoo.agents import get_agent_tool as tool

__all__ = ["tool"]
