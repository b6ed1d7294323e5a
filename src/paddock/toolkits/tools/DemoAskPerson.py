"""The tool `DemoAskPerson`."""

from paddock.toolkits.demo.tools import ask_person_tool as tool

__all__ = ["tool"]
