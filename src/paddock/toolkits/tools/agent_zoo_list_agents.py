"""The tool `agent_zoo_list_agents`."""

from paddock.toolkits.zoo.tools import list_agents_tool as tool

__all__ = ["tool"]
