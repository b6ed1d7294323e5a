"""The tool `agent_zoo_update_brain_entry`."""

from paddock.toolkits.zoo.tools import update_entry_tool as tool

__all__ = ["tool"]
