"""Arguments, annotations, options and defaults that tool declarations share.

Every server loads this module to list its tools, so it does not import kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta, Struct

from paddock.authoring.handler_errors import ToolError
from paddock.authoring.tool import Option, Parameter
from paddock.protocol.content import ImageContent, TextContent

if TYPE_CHECKING:
    from collections.abc import Mapping


class ToolArguments(Struct, forbid_unknown_fields=True, rename="camel"):
    """The arguments of a built-in tool. Clients write `max_length` as `maxLength`.

    Unknown arguments are rejected because misspelled ones would otherwise be silently ignored.
    """


ToolContent = list[TextContent | ImageContent]
READ_ANNOTATIONS = {
    "readOnlyHint": True,
    "destructiveHint": False,
    "idempotentHint": True,
    "openWorldHint": False,
}
WRITE_ANNOTATIONS = {
    "readOnlyHint": False,
    "destructiveHint": True,
    "idempotentHint": False,
    "openWorldHint": False,
}
"""For tools that run code or replace files."""
ADD_ANNOTATIONS = {**WRITE_ANNOTATIONS, "destructiveHint": False}
"""For tools that only write new files."""
CACHE_ANNOTATIONS = {**ADD_ANNOTATIONS, "idempotentHint": True}
"""For tools that have the same effect each time they are called, such as rebuilding a file."""

MAX_TIME_LIMIT_SECONDS = 604_800  # A week.
# With less memory, an engine may not even start an evaluation.
MIN_MEMORY_BYTES = 256 << 20
NETWORK_OPTION_NAME = "AllowNetwork"
NETWORK_OPTION = Option(False, bool, "Whether the code may access the network")
MEMORY_OPTION_NAME = "MemoryConstraint"
MEMORY_OPTION = Option(
    4 << 30,
    Annotated[int, Meta(ge=MIN_MEMORY_BYTES)],
    "Maximum memory of an evaluation, in bytes",
)
TimeLimitSeconds = Annotated[float, Meta(gt=0, le=MAX_TIME_LIMIT_SECONDS)]
EVALUATOR_OPTIONS = {
    "TimeConstraint": Option(
        60.0, TimeLimitSeconds, "Default time limit of an evaluation, in seconds"
    ),
    MEMORY_OPTION_NAME: MEMORY_OPTION,
    NETWORK_OPTION_NAME: NETWORK_OPTION,
    "MaxCharacterCount": Option(
        10_000, Annotated[int, Meta(ge=1)], "Maximum length of a result, in characters"
    ),
    "MaxSessionCount": Option(
        100, Annotated[int, Meta(ge=0)] | None, "Maximum number of saved sessions"
    ),
    "MaxSessionBytes": Option(
        1 << 30, Annotated[int, Meta(ge=0)] | None, "Maximum total size of saved sessions, in bytes"
    ),
    "MaxSessionAge": Option(
        "1 month",
        str | float | None,
        "Delete sessions that were not used for this time: seconds, or a text such as 2 weeks",
    ),
    "ImageExportMethod": Option(
        None, Literal["Local"] | None, "Local: also save images as files and link to them"
    ),
}
"""Options for tools that evaluate code in sessions."""
DEFAULT_CONFIDENCE = 0.75
DEFAULT_EXCLUDED_SEVERITIES = "Formatting,Scoping"
"""Severities that the Wolfram Language code inspector does not report by default."""
DEFAULT_PYTHON_EXCLUDED_SEVERITIES = "Formatting"
"""The same for Python code, unless the project configures ruff."""
DEFAULT_MAX_ISSUES = 100
CODE_PARAMETER = Parameter("code", "string", "The code to inspect.")
CONFIDENCE_PARAMETER = Parameter(
    "confidenceLevel",
    "number",
    "Minimum confidence of reported issues, from 0 to 1.",
    default=DEFAULT_CONFIDENCE,
)
ISSUE_LIMIT_PARAMETER = Parameter(
    "limit", "integer", "Maximum number of issues to show.", default=DEFAULT_MAX_ISSUES
)
MAX_ITEMS_OPTION_NAME = "MaxItems"
MAX_CHARACTERS_OPTION_NAME = "MaxCharacterCount"
INTERPRETER_OPTION_NAME = "Interpreter"
INTERPRETER_OPTIONS = {
    INTERPRETER_OPTION_NAME: Option(
        None,
        str | None,
        "Python interpreter that runs the code, or the directory of its virtual environment",
    )
}
TYPE_CHECKER_OPTION_NAME = "TypeChecker"
KERNEL_OPTION_NAME = "JupyterKernel"
GATEWAY_OPTION_NAME = "JupyterGateway"
JUPYTER_OPTIONS = {
    KERNEL_OPTION_NAME: Option(
        None, str | None, "Name of a Jupyter kernel that evaluates the code instead of Python"
    ),
    GATEWAY_OPTION_NAME: Option(
        None, str | None, "URL of the Jupyter server or gateway that provides the kernels"
    ),
}
ENGINE_OPTION_NAME = "Engine"
ENGINE_OPTIONS = {
    ENGINE_OPTION_NAME: Option(
        None, str | None, "Engine that evaluates the code: wolfram, woxi, mathics or none"
    )
}


def resolve_time_limit(code: str, time_constraint: int | None, options: Mapping[str, Any]) -> float:
    """Return the time limit of an evaluation in seconds.

    Empty code is rejected too because all evaluator tools call this function first.

    Args:
        code: The code to evaluate.
        time_constraint: The limit that the call asks for. Defaults to the tool's option.
        options: The tool's options.

    Raises:
        ToolError: The code is empty, or the limit is out of range.
    """
    if not code.strip():
        raise ToolError("There is no code to evaluate: `code` is empty")
    if time_constraint is None:
        return float(options["TimeConstraint"])
    if time_constraint <= 0:
        raise ToolError(
            f"timeConstraint is {time_constraint}, expected a number of seconds above 0"
        )
    if time_constraint > MAX_TIME_LIMIT_SECONDS:
        raise ToolError(
            f"timeConstraint is {time_constraint}, expected at most {MAX_TIME_LIMIT_SECONDS} "
            "(7 days)"
        )
    return float(time_constraint)
