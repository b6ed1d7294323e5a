"""The tool `agent_zoo_query_brain_entries`."""

from paddock.toolkits.zoo.tools import query_entries_tool as tool

__all__ = ["tool"]
