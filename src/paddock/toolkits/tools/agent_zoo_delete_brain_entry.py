"""The tool `agent_zoo_delete_brain_entry`."""

from paddock.toolkits.zoo.tools import delete_entry_tool as tool

__all__ = ["tool"]
