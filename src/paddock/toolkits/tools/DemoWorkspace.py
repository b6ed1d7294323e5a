"""The tool `DemoWorkspace`."""

from paddock.toolkits.demo.questions import show_workspace_tool as tool

__all__ = ["tool"]
