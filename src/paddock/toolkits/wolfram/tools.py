"""Declarations of the Wolfram Language tools: evaluator, inspector, definitions and tests.

The handlers are imported on the first call.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from paddock.authoring.tool import Option, Parameter, Tool
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTIONS
from paddock.toolkits.tool_options import (
    CODE_PARAMETER,
    CONFIDENCE_PARAMETER,
    DEFAULT_EXCLUDED_SEVERITIES,
    ENGINE_OPTIONS,
    EVALUATOR_OPTIONS,
    ISSUE_LIMIT_PARAMETER,
    MEMORY_OPTION,
    MEMORY_OPTION_NAME,
    NETWORK_OPTION,
    NETWORK_OPTION_NAME,
    READ_ANNOTATIONS,
    WRITE_ANNOTATIONS,
    TimeLimitSeconds,
    ToolArguments,
    ToolContent,
)


class WolframEvaluatorArguments(ToolArguments):
    """The arguments of `WolframLanguageEvaluator`."""

    code: Annotated[str, Meta(description="The Wolfram Language code to evaluate.")]
    time_constraint: Annotated[
        int | None, Meta(description="Time limit in seconds (60 if not given).")
    ] = None
    session: Annotated[
        str | None, Meta(description="Id of the session to continue, from an earlier result.")
    ] = None


wolfram_evaluator_tool = Tool(
    "WolframLanguageEvaluator",
    "paddock.toolkits.wolfram.evaluator:evaluate_wolfram_language",
    title="Wolfram Language evaluator",
    description="""\
Evaluate Wolfram Language code and return its output, messages, result in InputForm, and graphics \
as images.

Several expressions are allowed; the result is that of the last one. Definitions and history (%, \
%n, Out[n]) persist in a session: every result ends with its id; pass it as `session` to continue. \
The code runs without confirmation in a separate process that can read and write local files; \
network access is off by default. Look up unfamiliar functions first. Engines other than Wolfram's \
return unsupported functions unevaluated.""",
    arguments=WolframEvaluatorArguments,
    annotations=WRITE_ANNOTATIONS,
    return_type=ToolContent,
    task="optional",
    lenient=True,
    options={
        **ENGINE_OPTIONS,
        **EVALUATOR_OPTIONS,
        "Method": Option(None, Any, "No effect: code always runs in a separate process"),
    },
)
code_inspector_tool = Tool(
    "CodeInspector",
    "paddock.toolkits.wolfram.inspector:inspect_wolfram",
    title="Inspect code",
    description="""\
Inspect Wolfram Language code without running it and report syntax errors, wrong arguments, \
unreachable and duplicate clauses, scoping mistakes and more, each with its location and, where \
possible, a fix. Give either code, or a file or directory.\
""",
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
    options=ALLOWED_FOLDERS_OPTIONS,
    annotations=READ_ANNOTATIONS,
)


DEFAULT_MAX_CHARACTERS = 10_000


class WolframSymbolArguments(ToolArguments):
    """The arguments of `SymbolDefinition`."""

    symbols: Annotated[
        str, Meta(description="Symbol names, with or without contexts, separated by commas.")
    ]
    include_context_details: Annotated[
        bool | None, Meta(description="Whether to list the contexts of all symbols that occur.")
    ] = False
    max_length: Annotated[
        int | None, Meta(description="Maximum characters per symbol (10000 if not given).")
    ] = DEFAULT_MAX_CHARACTERS
    session: Annotated[
        str | None, Meta(description="The evaluator session to read. Default: the one used last.")
    ] = None


symbol_definition_tool = Tool(
    "SymbolDefinition",
    "paddock.toolkits.wolfram.symbol_lookup:show_wolfram_definitions",
    title="Symbol definition",
    description="""\
Show the definitions of Wolfram Language symbols, formatted: values, attributes, options and \
messages. Nothing is evaluated.

Reads a session of the evaluator: the given one, or the one used last; without a session only \
built-in symbols are known. Separate several symbols with commas.""",
    arguments=WolframSymbolArguments,
    annotations=READ_ANNOTATIONS,
    lenient=True,
    options=ENGINE_OPTIONS,
)


FILE_TIME_OPTION_NAME = "TimeConstraint"


class WolframTestArguments(ToolArguments):
    """The arguments of `TestReport`."""

    paths: Annotated[
        str,
        Meta(
            description="Test files, or directories with test files, separated by commas. "
            "Subdirectories are not searched."
        ),
    ]
    time_constraint: Annotated[
        Annotated[int, Meta(gt=0)] | None,
        Meta(description="Time limit of each file, in seconds."),
    ] = None
    memory_constraint: Annotated[
        Annotated[int, Meta(gt=0)] | None,
        Meta(description="Memory limit of each file, in bytes."),
    ] = None
    new_kernel: Annotated[
        bool | None,
        Meta(description="Whether each file runs in a new kernel; otherwise all share one."),
    ] = True


wolfram_test_report_tool = Tool(
    "TestReport",
    "paddock.toolkits.wolfram.wlt_runner:run_wolfram_tests",
    title="Report on tests",
    description="""\
Run Wolfram Language test files (.wlt) and report in Markdown how many tests passed, and for each \
failure its input, expected and actual value, and messages.

Each file runs in a new kernel without earlier definitions, so it must load the code it tests.""",
    arguments=WolframTestArguments,
    annotations=WRITE_ANNOTATIONS,
    task="optional",
    lenient=True,
    options={
        **ENGINE_OPTIONS,
        FILE_TIME_OPTION_NAME: Option(
            600.0, TimeLimitSeconds, "Time limit of each file, in seconds"
        ),
        MEMORY_OPTION_NAME: MEMORY_OPTION,
        NETWORK_OPTION_NAME: NETWORK_OPTION,
        **ALLOWED_FOLDERS_OPTIONS,
    },
)
