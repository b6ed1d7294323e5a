"""Options of tools that evaluate code; loaded to list tools, so without anything of kernels.

What the parameters of inspectors are when they are not given; loaded to list tools.

The options that limit an answer, by their names; loaded to list tools.

Options that several of the Python tools share; loaded to list tools.

Options that several Wolfram tools share; loaded to list tools, so without kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta

from paddock.authoring.handler_errors import ToolError
from paddock.authoring.tool_option import Option

if TYPE_CHECKING:
    from collections.abc import Mapping


MAX_TIME_LIMIT_SECONDS = 604_800
"""The longest time limit: a week."""
MIN_MEMORY_BYTES = 256 << 20
"""Below it an engine may not even start an evaluation."""
NETWORK_OPTION_NAME = "AllowNetwork"
NETWORK_OPTION = Option(False, bool, "Whether the code may use the network")
MEMORY_OPTION_NAME = "MemoryConstraint"
MEMORY_OPTION = Option(
    4 << 30,
    Annotated[int, Meta(ge=MIN_MEMORY_BYTES)],
    "Bytes of memory that an evaluation may take",
)
TimeLimitSeconds = Annotated[float, Meta(gt=0, le=MAX_TIME_LIMIT_SECONDS)]
EVALUATOR_OPTIONS = {
    "TimeConstraint": Option(60.0, TimeLimitSeconds, "Seconds, for calls that do not say"),
    MEMORY_OPTION_NAME: MEMORY_OPTION,
    NETWORK_OPTION_NAME: NETWORK_OPTION,
    "MaxCharacterCount": Option(10_000, Annotated[int, Meta(ge=1)], "Characters of a result"),
    "MaxSessionCount": Option(100, Annotated[int, Meta(ge=0)] | None, "Sessions that are kept"),
    "MaxSessionBytes": Option(1 << 30, Annotated[int, Meta(ge=0)] | None, "Their size in all"),
    "MaxSessionAge": Option(
        "1 month", str | float | None, "Since they were used: seconds, or such as 2 weeks"
    ),
    "ImageExportMethod": Option(
        None, Literal["Local"] | None, "Local: pictures are kept as files too, with links"
    ),
}
"""Of tools that evaluate code in sessions."""


def resolve_time_limit(code: str, given: int | None, options: Mapping[str, Any]) -> float:
    """How long a call may take to evaluate some code, as it says itself or else the options.

    Raises:
        ToolError: when there is no code, or no such time.
    """
    if not code.strip():
        raise ToolError("There is no code to evaluate: `code` is empty")
    if given is None:
        return float(options["TimeConstraint"])
    if given <= 0:
        raise ToolError(f"timeConstraint is {given}, expected a number of seconds above 0")
    if given > MAX_TIME_LIMIT_SECONDS:
        raise ToolError(
            f"timeConstraint is {given}, expected at most {MAX_TIME_LIMIT_SECONDS} (7 days)"
        )
    return float(given)


DEFAULT_CONFIDENCE = 0.75
DEFAULT_EXCLUDED_SEVERITIES = "Formatting,Scoping"
"""Of Wolfram Language code."""
DEFAULT_PYTHON_EXCLUDED_SEVERITIES = "Formatting"
"""Of Python code whose project does not say itself what is wrong."""
DEFAULT_MAX_ISSUES = 100


MAX_ITEMS_OPTION_NAME = "MaxItems"
MAX_CHARACTERS_OPTION_NAME = "MaxCharacterCount"


INTERPRETER_OPTION_NAME = "Interpreter"
INTERPRETER_OPTION = Option(
    None,
    str | None,
    "The Python that code runs with, or the directory of its environment",
)
TYPE_CHECKER_OPTION_NAME = "TypeChecker"
KERNEL_OPTION_NAME = "JupyterKernel"
KERNEL_OPTION = Option(
    None, str | None, "The Jupyter kernel that code runs with, instead of a Python"
)
GATEWAY_OPTION_NAME = "JupyterGateway"
GATEWAY_OPTION = Option(
    None, str | None, "The URL of the Jupyter server or gateway that has the kernels"
)


ENGINE_OPTION_NAME = "Engine"
ENGINE_OPTION = Option(None, str | None, "Which engine evaluates: wolfram, woxi, mathics or none")
