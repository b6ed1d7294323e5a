"""The tool `agent_zoo_set_default_agent`."""

from paddock.toolkits.zoo.tools import set_default_tool as tool

__all__ = ["tool"]
