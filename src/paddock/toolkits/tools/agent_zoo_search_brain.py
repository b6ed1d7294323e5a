"""The tool `agent_zoo_search_brain`."""

from paddock.toolkits.zoo.tools import search_brain_tool as tool

__all__ = ["tool"]
