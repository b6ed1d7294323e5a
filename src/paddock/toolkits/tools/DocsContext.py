"""The tool `DocsContext`."""

from paddock.toolkits.documentation.tools import docs_context_tool as tool

__all__ = ["tool"]
