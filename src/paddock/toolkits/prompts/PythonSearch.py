"""The prompt `PythonSearch`."""

from paddock.toolkits.documentation.searches import python_search_prompt as prompt

__all__ = ["prompt"]
