"""The tool `DemoWorkspace`."""

from paddock.toolkits.demo.tools import show_workspace_tool as tool

__all__ = ["tool"]
