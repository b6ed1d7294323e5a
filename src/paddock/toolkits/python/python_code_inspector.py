"""The tool `PythonCodeInspector`: its parameters, options and description.

What it does is in `inspecting`, which is loaded with the first call.
"""

from __future__ import annotations

from typing import Any, Literal

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.option import Option
from paddock.authoring.tool import Parameter, Tool
from paddock.toolkits.inspector_defaults import DEFAULT_CONFIDENCE, DEFAULT_MAX_ISSUES
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION, ALLOWED_FOLDERS_OPTION_NAME
from paddock.toolkits.python.options import TYPE_CHECKER_OPTION_NAME, INTERPRETER_OPTION, INTERPRETER_OPTION_NAME

CODE_INSPECTOR_DESCRIPTION = """\
Inspects Python code without running it, and reports what is wrong or suspicious: syntax errors, \
undefined and unused names, likely bugs, wrong types and more, each with its place and, where it \
is clear, a fix. Give either code, or a file or directory.\
"""


def inspect_python_code(arguments: dict[str, Any], ctx: Context) -> str:
    """The report on what the arguments name."""
    from paddock.toolkits.python import inspecting  # noqa: PLC0415 - see the docstring above

    return inspecting.inspect_python(arguments, ctx)


python_code_inspector_tool = Tool(
    "PythonCodeInspector",
    inspect_python_code,
    title="Inspect Python code",
    description=CODE_INSPECTOR_DESCRIPTION,
    parameters=[
        Parameter("code", "string", "The code to inspect."),
        Parameter(
            "file",
            "string",
            "The file to inspect, or a directory whose Python files are, with those of all "
            "directories in it.",
        ),
        Parameter(
            "tagExclusions",
            "string",
            "Tags that are not reported, separated by commas: a rule of ruff such as F401, ty for "
            "all that is about types, or ty::Argument.",
        ),
        Parameter(
            "severityExclusions",
            "string",
            "Severities that are not reported, separated by commas, out of Fatal, Error, Warning, "
            "Scoping, Remark, Formatting. Not given: Formatting, or none where the project has "
            "settings for ruff. An empty string excludes none.",
        ),
        Parameter(
            "confidenceLevel",
            "number",
            "How sure an issue must be at least, from 0 to 1.",
            default=DEFAULT_CONFIDENCE,
        ),
        Parameter("limit", "integer", "How many issues are shown at most.", default=DEFAULT_MAX_ISSUES),
        Parameter(
            "interpreter",
            "string",
            "The Python whose packages the code may import, or the directory of its environment.",
        ),
    ],
    lenient=True,
    options={
        INTERPRETER_OPTION_NAME: INTERPRETER_OPTION,
        TYPE_CHECKER_OPTION_NAME: Option(
            None, Literal["ty", "mypy", "none"] | None, "Who checks types: ty, mypy or none"
        ),
        ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION,
    },
    annotations={
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
)
