"""Options that several of the Python tools share; loaded to list tools."""

from __future__ import annotations

from paddock.authoring.option import Option

INTERPRETER_OPTION = "Interpreter"
INTERPRETER = Option(
    None,
    str | None,
    "The Python that code runs with, or the directory of its environment",
)
CHECKER_OPTION = "TypeChecker"
