"""The tool `WolframLanguageEvaluator`: its parameters, options and description.

What it does is in `evaluating`, which is loaded with the first call: whoever lists the tools of a
server needs no kernels.

The tool `CodeInspector`: its parameters and description.

What it does is in `inspecting`, which is loaded with the first call.

The tool `SymbolDefinition`: its parameters and description.

What it does is in `symbol_lookup`, which is loaded with the first call.

The tool `TestReport`: its parameters, options and description.

What it does is in `reporting`, which is loaded with the first call.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.handler_errors import ToolError
from paddock.authoring.tool import Parameter, Tool
from paddock.authoring.tool_option import Option
from paddock.errors import PaddockError
from paddock.protocol.content import ImageContent, TextContent
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION, ALLOWED_FOLDERS_OPTION_NAME
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION_NAME as FOLDERS_OPTION
from paddock.toolkits.tool_options import (
    DEFAULT_CONFIDENCE,
    DEFAULT_EXCLUDED_SEVERITIES,
    DEFAULT_MAX_ISSUES,
    ENGINE_OPTION,
    ENGINE_OPTION_NAME,
    EVALUATOR_OPTIONS,
    MEMORY_OPTION,
    MEMORY_OPTION_NAME,
    NETWORK_OPTION,
    NETWORK_OPTION_NAME,
    TimeLimitSeconds,
    resolve_time_limit,
)

ToolContent = list[TextContent | ImageContent]
EVALUATOR_DESCRIPTION = """\
Evaluate Wolfram Language code. The answer has what the code prints, its messages, its value in \
InputForm, and its graphics as pictures.

Several expressions may be given; the value is that of the last one. Definitions and history (%, \
%n, Out[n]) are kept in a session: every answer ends with its id; give it as `session` to go on. \
The code runs without asking anybody, in a process of its own, without network unless the server \
allows it; it can read and write local files. Look a function up first if you are not \
sure of it. An engine other than Wolfram's may lack functions: what it does not know, it leaves \
unevaluated."""
WOLFRAM_EVALUATOR_OPTIONS = {
    ENGINE_OPTION_NAME: ENGINE_OPTION,
    **EVALUATOR_OPTIONS,
    "Method": Option(None, Any, "Without effect: code always runs in a process of its own"),
}


def evaluate_wolfram_language(
    ctx: Context,
    code: Annotated[str, Meta(description="The Wolfram Language code to evaluate.")],
    timeConstraint: Annotated[  # noqa: N803 - the name that clients know
        int | None, Meta(description="Seconds that the evaluation may take (60 if not given).")
    ] = None,
    session: Annotated[
        str | None, Meta(description="The id of the session to go on in, from an earlier answer.")
    ] = None,
) -> ToolContent:
    """Evaluate code in a session."""
    from paddock.toolkits.wolfram.evaluator import run_evaluation  # noqa: PLC0415 - see the module's docstring

    seconds = resolve_time_limit(code, timeConstraint, ctx.options)
    try:
        found = run_evaluation(ctx, code, seconds, session)
    except PaddockError as error:
        raise ToolError(str(error)) from error
    ctx.raise_if_cancelled()
    return found


wolfram_evaluator_tool = Tool(
    "WolframLanguageEvaluator",
    evaluate_wolfram_language,
    title="Wolfram Language evaluator",
    description=EVALUATOR_DESCRIPTION,
    annotations={
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": False,
    },
    return_type=ToolContent,
    task="optional",
    lenient=True,
    options=WOLFRAM_EVALUATOR_OPTIONS,
)


CODE_INSPECTOR_DESCRIPTION = """\
Inspects Wolfram Language code without running it, and reports what is wrong or suspicious: \
syntax errors, wrong arguments, unreachable and duplicate clauses, scoping mistakes and more, each \
with its place and, where it is clear, a fix. Give either code, or a file or directory.\
"""


def inspect_wolfram_code(arguments: dict[str, Any], ctx: Context) -> str:
    """The report on what the arguments name."""
    from paddock.toolkits.wolfram import inspector  # noqa: PLC0415 - see the docstring above

    return inspector.inspect_wolfram(arguments, ctx)


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
        Parameter(
            "limit", "integer", "How many issues are shown at most.", default=DEFAULT_MAX_ISSUES
        ),
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


DEFAULT_MAX_CHARACTERS = 10_000
SYMBOL_DEFINITION_DESCRIPTION = """\
Show the definitions of Wolfram Language symbols: values, attributes, options and messages, \
readably formatted. Nothing is evaluated.

Looks into a session of the evaluator: the one given, else the one that was used last; without \
any, it knows the built-in symbols only. Several symbols are separated by commas."""


def show_wolfram_definitions(
    ctx: Context,
    symbols: Annotated[
        str,
        Meta(description="Names of symbols, separated by commas; with or without their contexts."),
    ],
    includeContextDetails: Annotated[  # noqa: N803 - the name that clients know
        bool | None, Meta(description="Whether to list the contexts of all symbols that appear.")
    ] = False,
    maxLength: Annotated[  # noqa: N803 - as above
        int | None, Meta(description="Characters shown of each symbol (10000 if not given).")
    ] = DEFAULT_MAX_CHARACTERS,
    session: Annotated[
        str | None,
        Meta(description="The evaluator's session to look into; else the one used last."),
    ] = None,
) -> str:
    """Show what is defined for symbols."""
    from paddock.toolkits.wolfram.symbol_lookup import look_up_symbols  # noqa: PLC0415 - see the module's docstring

    names = [name for part in symbols.split(",") if (name := part.strip())]
    if not names:
        raise ToolError(
            "There are no names: `symbols` is empty", hint='as in symbols="f" or "f, Sin"'
        )
    length = maxLength if maxLength and maxLength > 0 else DEFAULT_MAX_CHARACTERS

    try:
        answer = look_up_symbols(
            ctx, names, session, length, is_detailed=bool(includeContextDetails)
        )
    except ToolError:
        raise
    except PaddockError as error:
        raise ToolError(str(error)) from error
    ctx.raise_if_cancelled()
    return answer


symbol_definition_tool = Tool(
    "SymbolDefinition",
    show_wolfram_definitions,
    title="Symbol definition",
    description=SYMBOL_DEFINITION_DESCRIPTION,
    annotations={
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
    lenient=True,
    options={ENGINE_OPTION_NAME: ENGINE_OPTION},
)


FILE_TIME_OPTION_NAME = "TimeConstraint"
WLT_REPORT_DESCRIPTION = """\
Run Wolfram Language test files (.wlt) and report on them in Markdown: how many tests passed, and \
for each that did not its input, the expected and the actual value, and messages.

Each file runs in a kernel of its own, without earlier definitions: it has to load what it tests."""


def run_wolfram_tests(
    ctx: Context,
    paths: Annotated[
        str,
        Meta(
            description="Test files, or directories with them, separated by commas. Directories "
            "inside a directory are not searched."
        ),
    ],
    timeConstraint: Annotated[  # noqa: N803 - the name that clients know
        Annotated[int, Meta(gt=0)] | None,
        Meta(description="Seconds that each file may take."),
    ] = None,
    memoryConstraint: Annotated[  # noqa: N803 - likewise
        Annotated[int, Meta(gt=0)] | None,
        Meta(description="Bytes of memory that each file may take."),
    ] = None,
    newKernel: Annotated[  # noqa: N803 - likewise
        bool | None,
        Meta(description="Whether each file has a kernel of its own, or all share one."),
    ] = True,
) -> str:
    """Run tests, and report on them."""
    from paddock.toolkits.wolfram.wlt_runner import run_and_report  # noqa: PLC0415 - see the module's docstring

    try:
        found = run_and_report(
            ctx,
            paths,
            timeConstraint or ctx.options[FILE_TIME_OPTION_NAME],
            memoryConstraint or ctx.options[MEMORY_OPTION_NAME],
            is_shared=newKernel is False,
        )
    except ToolError:
        raise
    except PaddockError as error:
        raise ToolError(str(error)) from error
    ctx.raise_if_cancelled()
    return found


wolfram_test_report_tool = Tool(
    "TestReport",
    run_wolfram_tests,
    title="Report on tests",
    description=WLT_REPORT_DESCRIPTION,
    annotations={
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": False,
    },
    task="optional",
    lenient=True,
    options={
        ENGINE_OPTION_NAME: ENGINE_OPTION,
        FILE_TIME_OPTION_NAME: Option(600.0, TimeLimitSeconds, "Seconds for each file"),
        MEMORY_OPTION_NAME: MEMORY_OPTION,
        NETWORK_OPTION_NAME: NETWORK_OPTION,
        FOLDERS_OPTION: ALLOWED_FOLDERS_OPTION,
    },
)
