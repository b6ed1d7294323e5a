"""The tool `DocsContext`."""

from paddock.toolkits.documentation.contexts import docs_context_tool as tool

__all__ = ["tool"]
