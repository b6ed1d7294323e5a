"""Declarations of the Wolfram Language tools: evaluator, inspector, definitions and tests."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from paddock.authoring.context import Context
from paddock.authoring.handler_errors import ToolError
from paddock.authoring.tool import Parameter, Tool
from paddock.authoring.tool_option import Option
from paddock.protocol.content import ImageContent, TextContent
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION, ALLOWED_FOLDERS_OPTION_NAME
from paddock.toolkits.tool_options import (
    CODE_PARAMETER,
    CONFIDENCE_PARAMETER,
    DEFAULT_EXCLUDED_SEVERITIES,
    ENGINE_OPTION,
    ENGINE_OPTION_NAME,
    EVALUATOR_OPTIONS,
    ISSUE_LIMIT_PARAMETER,
    MEMORY_OPTION,
    MEMORY_OPTION_NAME,
    NETWORK_OPTION,
    NETWORK_OPTION_NAME,
    READ_ANNOTATIONS,
    WRITE_ANNOTATIONS,
    TimeLimitSeconds,
    convert_errors,
    resolve_time_limit,
)

ToolContent = list[TextContent | ImageContent]
EVALUATOR_DESCRIPTION = """\
Evaluate Wolfram Language code and return its output, messages, result in InputForm, and graphics \
as images.

Several expressions are allowed; the result is that of the last one. Definitions and history (%, \
%n, Out[n]) persist in a session: every result ends with its id; pass it as `session` to continue. \
The code runs without confirmation in a separate process that can read and write local files; \
network access is off by default. Look up unfamiliar functions first. Engines other than Wolfram's \
return unsupported functions unevaluated."""
WOLFRAM_EVALUATOR_OPTIONS = {
    ENGINE_OPTION_NAME: ENGINE_OPTION,
    **EVALUATOR_OPTIONS,
    "Method": Option(None, Any, "No effect: code always runs in a separate process"),
}


def evaluate_wolfram_language(
    ctx: Context,
    code: Annotated[str, Meta(description="The Wolfram Language code to evaluate.")],
    timeConstraint: Annotated[
        int | None, Meta(description="Time limit in seconds (60 if not given).")
    ] = None,
    session: Annotated[
        str | None, Meta(description="Id of the session to continue, from an earlier result.")
    ] = None,
) -> ToolContent:
    """Evaluate code in a session."""
    from paddock.toolkits.wolfram.evaluator import run_evaluation

    seconds = resolve_time_limit(code, timeConstraint, ctx.options)
    with convert_errors():
        content = run_evaluation(ctx, code, seconds, session)
    ctx.raise_if_cancelled()
    return content


wolfram_evaluator_tool = Tool(
    "WolframLanguageEvaluator",
    evaluate_wolfram_language,
    title="Wolfram Language evaluator",
    description=EVALUATOR_DESCRIPTION,
    annotations=WRITE_ANNOTATIONS,
    return_type=ToolContent,
    task="optional",
    lenient=True,
    options=WOLFRAM_EVALUATOR_OPTIONS,
)


CODE_INSPECTOR_DESCRIPTION = """\
Inspect Wolfram Language code without running it and report syntax errors, wrong arguments, \
unreachable and duplicate clauses, scoping mistakes and more, each with its location and, where \
possible, a fix. Give either code, or a file or directory.\
"""


def inspect_wolfram_code(arguments: dict[str, Any], ctx: Context) -> str:
    """Return the inspection report for the code, file or directory in the arguments."""
    from paddock.toolkits.wolfram import inspector

    return inspector.inspect_wolfram(arguments, ctx)


code_inspector_tool = Tool(
    "CodeInspector",
    inspect_wolfram_code,
    title="Inspect code",
    description=CODE_INSPECTOR_DESCRIPTION,
    parameters=[
        CODE_PARAMETER,
        Parameter(
            "file",
            "string",
            "The file to inspect, or a directory, which is searched recursively for .wl, .m and "
            ".wls files.",
        ),
        Parameter(
            "tagExclusions",
            "string",
            "Tags to hide, separated by commas: Tag or Tag::Argument.",
        ),
        Parameter(
            "severityExclusions",
            "string",
            "Severities to hide, separated by commas: Fatal, Error, Warning, Scoping, Remark, "
            "Formatting. An empty string hides none.",
            default=DEFAULT_EXCLUDED_SEVERITIES,
        ),
        CONFIDENCE_PARAMETER,
        ISSUE_LIMIT_PARAMETER,
    ],
    lenient=True,
    options={ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION},
    annotations=READ_ANNOTATIONS,
)


DEFAULT_MAX_CHARACTERS = 10_000
SYMBOL_DEFINITION_DESCRIPTION = """\
Show the definitions of Wolfram Language symbols, formatted: values, attributes, options and \
messages. Nothing is evaluated.

Reads a session of the evaluator: the given one, or the one used last; without a session only \
built-in symbols are known. Separate several symbols with commas."""


def show_wolfram_definitions(
    ctx: Context,
    symbols: Annotated[
        str,
        Meta(description="Symbol names, with or without contexts, separated by commas."),
    ],
    includeContextDetails: Annotated[
        bool | None, Meta(description="Whether to list the contexts of all symbols that occur.")
    ] = False,
    maxLength: Annotated[
        int | None, Meta(description="Maximum characters per symbol (10000 if not given).")
    ] = DEFAULT_MAX_CHARACTERS,
    session: Annotated[
        str | None,
        Meta(description="The evaluator session to read. Default: the one used last."),
    ] = None,
) -> str:
    """Show the definitions of Wolfram Language symbols."""
    from paddock.toolkits.wolfram.symbol_lookup import look_up_symbols

    names = [name for part in symbols.split(",") if (name := part.strip())]
    if not names:
        raise ToolError("`symbols` contains no names", hint='as in symbols="f" or "f, Sin"')
    length = maxLength if maxLength and maxLength > 0 else DEFAULT_MAX_CHARACTERS
    with convert_errors():
        definitions = look_up_symbols(
            ctx, names, session, length, is_detailed=bool(includeContextDetails)
        )
    ctx.raise_if_cancelled()
    return definitions


symbol_definition_tool = Tool(
    "SymbolDefinition",
    show_wolfram_definitions,
    title="Symbol definition",
    description=SYMBOL_DEFINITION_DESCRIPTION,
    annotations=READ_ANNOTATIONS,
    lenient=True,
    options={ENGINE_OPTION_NAME: ENGINE_OPTION},
)


FILE_TIME_OPTION_NAME = "TimeConstraint"
WLT_REPORT_DESCRIPTION = """\
Run Wolfram Language test files (.wlt) and report in Markdown how many tests passed, and for each \
failure its input, expected and actual value, and messages.

Each file runs in a new kernel without earlier definitions, so it must load the code it tests."""


def run_wolfram_tests(
    ctx: Context,
    paths: Annotated[
        str,
        Meta(
            description="Test files, or directories with test files, separated by commas. "
            "Subdirectories are not searched."
        ),
    ],
    timeConstraint: Annotated[
        Annotated[int, Meta(gt=0)] | None,
        Meta(description="Time limit of each file, in seconds."),
    ] = None,
    memoryConstraint: Annotated[
        Annotated[int, Meta(gt=0)] | None,
        Meta(description="Memory limit of each file, in bytes."),
    ] = None,
    newKernel: Annotated[
        bool | None,
        Meta(description="Whether each file runs in a new kernel; otherwise all share one."),
    ] = True,
) -> str:
    """Run tests and report the results."""
    from paddock.toolkits.wolfram.wlt_runner import run_and_report

    with convert_errors():
        report = run_and_report(
            ctx,
            paths,
            timeConstraint or ctx.options[FILE_TIME_OPTION_NAME],
            memoryConstraint or ctx.options[MEMORY_OPTION_NAME],
            is_shared=newKernel is False,
        )
    ctx.raise_if_cancelled()
    return report


wolfram_test_report_tool = Tool(
    "TestReport",
    run_wolfram_tests,
    title="Report on tests",
    description=WLT_REPORT_DESCRIPTION,
    annotations=WRITE_ANNOTATIONS,
    task="optional",
    lenient=True,
    options={
        ENGINE_OPTION_NAME: ENGINE_OPTION,
        FILE_TIME_OPTION_NAME: Option(
            600.0, TimeLimitSeconds, "Time limit of each file, in seconds"
        ),
        MEMORY_OPTION_NAME: MEMORY_OPTION,
        NETWORK_OPTION_NAME: NETWORK_OPTION,
        ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION,
    },
)
