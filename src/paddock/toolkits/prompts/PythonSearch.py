"""The prompt `PythonSearch`."""

from paddock.toolkits.documentation.tools import python_search_prompt as prompt

__all__ = ["prompt"]
