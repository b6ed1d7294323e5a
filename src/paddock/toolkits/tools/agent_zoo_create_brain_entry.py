"""The tool `agent_zoo_create_brain_entry`."""

from paddock.toolkits.zoo.tools import create_entry_tool as tool

__all__ = ["tool"]
