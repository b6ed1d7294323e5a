"""The tool `CodeInspector`: its parameters and description.

What it does is in `inspecting`, which is loaded with the first call.
"""

from __future__ import annotations

from typing import Any

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.tool import Parameter, Tool
from paddock.toolkits.inspector_defaults import DEFAULT_CONFIDENCE, DEFAULT_EXCLUDED_SEVERITIES, DEFAULT_MAX_ISSUES
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION, ALLOWED_FOLDERS_OPTION_NAME

CODE_INSPECTOR_DESCRIPTION = """\
Inspects Wolfram Language code without running it, and reports what is wrong or suspicious: \
syntax errors, wrong arguments, unreachable and duplicate clauses, scoping mistakes and more, each \
with its place and, where it is clear, a fix. Give either code, or a file or directory.\
"""


def inspect_wolfram_code(arguments: dict[str, Any], ctx: Context) -> str:
    """The report on what the arguments name."""
    from paddock.toolkits.wolfram import inspecting  # noqa: PLC0415 - see the docstring above

    return inspecting.inspect_wolfram(arguments, ctx)


code_inspector_tool = Tool(
    "CodeInspector",
    inspect_wolfram_code,
    title="Inspect code",
    description=CODE_INSPECTOR_DESCRIPTION,
    parameters=[
        Parameter("code", "string", "The code to inspect."),
        Parameter(
            "file",
            "string",
            "The file to inspect, or a directory whose .wl, .m and .wls files are, with those of "
            "all directories in it.",
        ),
        Parameter(
            "tagExclusions",
            "string",
            "Tags that are not reported, separated by commas: Tag or Tag::Argument.",
        ),
        Parameter(
            "severityExclusions",
            "string",
            "Severities that are not reported, separated by commas, out of "
            "Fatal, Error, Warning, Scoping, Remark, Formatting. An empty string excludes none.",
            default=DEFAULT_EXCLUDED_SEVERITIES,
        ),
        Parameter(
            "confidenceLevel",
            "number",
            "How sure an issue must be at least, from 0 to 1.",
            default=DEFAULT_CONFIDENCE,
        ),
        Parameter("limit", "integer", "How many issues are shown at most.", default=DEFAULT_MAX_ISSUES),
    ],
    lenient=True,
    options={ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION},
    annotations={
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
)
