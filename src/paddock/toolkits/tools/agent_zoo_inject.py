"""The tool `agent_zoo_inject`."""

from paddock.toolkits.zoo.tools import inject_tool as tool

__all__ = ["tool"]
