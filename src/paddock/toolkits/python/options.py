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
KERNEL_OPTION = "JupyterKernel"
KERNEL = Option(None, str | None, "The Jupyter kernel that code runs with, instead of a Python")
GATEWAY_OPTION = "JupyterGateway"
GATEWAY = Option(None, str | None, "The URL of the Jupyter server or gateway that has the kernels")
