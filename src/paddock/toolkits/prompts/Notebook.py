"""The prompt `Notebook`."""

from paddock.toolkits.documentation.tools import notebook_prompt as prompt

__all__ = ["prompt"]
