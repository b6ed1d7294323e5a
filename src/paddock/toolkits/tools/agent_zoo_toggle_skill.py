"""The tool `agent_zoo_toggle_skill`."""

from paddock.toolkits.zoo.tools import toggle_skill_tool as tool

__all__ = ["tool"]
