"""The tool `agent_zoo_get_agent`."""

from paddock.toolkits.zoo.tools import get_agent_tool as tool

__all__ = ["tool"]
