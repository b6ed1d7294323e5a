"""Options that several of the Python tools share; loaded to list tools."""

from __future__ import annotations

from paddock.authoring.option import Option

INTERPRETER_OPTION_NAME = "Interpreter"
INTERPRETER_OPTION = Option(
    None,
    str | None,
    "The Python that code runs with, or the directory of its environment",
)
TYPE_CHECKER_OPTION_NAME = "TypeChecker"
KERNEL_OPTION_NAME = "JupyterKernel"
KERNEL_OPTION = Option(None, str | None, "The Jupyter kernel that code runs with, instead of a Python")
GATEWAY_OPTION_NAME = "JupyterGateway"
GATEWAY_OPTION = Option(None, str | None, "The URL of the Jupyter server or gateway that has the kernels")
