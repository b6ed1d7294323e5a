"""The tool `agent_zoo_get_default_agent`."""

from paddock.toolkits.zoo.tools import get_default_tool as tool

__all__ = ["tool"]
