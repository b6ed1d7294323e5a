"""The tool `agent_zoo_find_agents`."""

from paddock.toolkits.zoo.tools import find_agents_tool as tool

__all__ = ["tool"]
