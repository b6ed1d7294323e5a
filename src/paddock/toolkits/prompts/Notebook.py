"""The prompt `Notebook`."""

from paddock.toolkits.documentation.notebook import notebook_prompt as prompt

__all__ = ["prompt"]
