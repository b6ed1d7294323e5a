"""The tool `PythonEvaluator`: its parameters, options and description.

What it does is in `evaluating`, which is loaded with the first call: whoever lists the tools of a
server needs no kernels.

The tool `PythonCodeInspector`: its parameters, options and description.

What it does is in `inspecting`, which is loaded with the first call.

The tool `PythonDoc`: its parameters and description.

What it does is in `documenting`, which is loaded with the first call.

The tool `PythonSymbolDefinition`: its parameters, options and description.

What it does is in `symbol_lookup`, which is loaded with the first call.

The tool `PythonTestReport`: its parameters, options and description.

What it does is in `test_reporting`, which is loaded with the first call.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

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
    DEFAULT_MAX_ISSUES,
    EVALUATOR_OPTIONS,
    GATEWAY_OPTION,
    GATEWAY_OPTION_NAME,
    INTERPRETER_OPTION,
    INTERPRETER_OPTION_NAME,
    KERNEL_OPTION,
    KERNEL_OPTION_NAME,
    TYPE_CHECKER_OPTION_NAME,
    resolve_time_limit,
)

ToolContent = list[TextContent | ImageContent]
EVALUATOR_DESCRIPTION = """\
Evaluate Python code. The answer has what the code prints, warnings, the value of its last \
expression, tracebacks, figures and images as pictures, and data frames as tables.

Names are kept in a session: every answer ends with its id; give it as `session` to go on. An \
evaluation that is stopped at a limit, crashes or exits is taken back. The code runs without \
asking anybody, with the Python of the project's virtual environment, in a process of its own that \
begins in the project's directory; it can read and write local files and has no network unless the \
server allows it. Top-level `await` works; input() and IPython's magics do not."""


def evaluate_python(
    ctx: Context,
    code: Annotated[str, Meta(description="The Python code to evaluate.")],
    timeConstraint: Annotated[  # noqa: N803 - the name that clients know
        int | None, Meta(description="Seconds that the evaluation may take (60 if not given).")
    ] = None,
    session: Annotated[
        str | None, Meta(description="The id of the session to go on in, from an earlier answer.")
    ] = None,
    interpreter: Annotated[
        str | None,
        Meta(
            description="Another Python than that of the project: the path of a program, or of the "
            "directory of a virtual environment."
        ),
    ] = None,
    kernel: Annotated[
        str | None,
        Meta(
            description="The name of a Jupyter kernel, of any language, to evaluate with instead."
        ),
    ] = None,
) -> ToolContent:
    """Evaluate code in a session."""
    from paddock.toolkits.python.evaluator import EvaluationRequest, run_evaluation  # noqa: PLC0415 - see above

    seconds = resolve_time_limit(code, timeConstraint, ctx.options)
    try:
        found = run_evaluation(ctx, code, seconds, EvaluationRequest(session, interpreter, kernel))
    except PaddockError as error:
        raise ToolError(str(error)) from error
    ctx.raise_if_cancelled()
    return found


python_evaluator_tool = Tool(
    "PythonEvaluator",
    evaluate_python,
    title="Python evaluator",
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
    options={
        INTERPRETER_OPTION_NAME: INTERPRETER_OPTION,
        KERNEL_OPTION_NAME: KERNEL_OPTION,
        GATEWAY_OPTION_NAME: GATEWAY_OPTION,
        FOLDERS_OPTION: ALLOWED_FOLDERS_OPTION,
        **EVALUATOR_OPTIONS,
    },
)


CODE_INSPECTOR_DESCRIPTION = """\
Inspects Python code without running it, and reports what is wrong or suspicious: syntax errors, \
undefined and unused names, likely bugs, wrong types and more, each with its place and, where it \
is clear, a fix. Give either code, or a file or directory.\
"""


def inspect_python_code(arguments: dict[str, Any], ctx: Context) -> str:
    """The report on what the arguments name."""
    from paddock.toolkits.python import inspector  # noqa: PLC0415 - see the docstring above

    return inspector.inspect_python(arguments, ctx)


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
        Parameter(
            "limit", "integer", "How many issues are shown at most.", default=DEFAULT_MAX_ISSUES
        ),
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


PYTHON_DOC_DESCRIPTION = """\
Write and check the documentation of Python code: docstrings, changed in place, and reference \
pages in Markdown. Nothing is run, and nothing but the documentation changes.

Operations on a Python file: createDocstring, setDocstring (content is the whole docstring), \
setDocstringSection (section such as Args, Returns, Raises, Examples; content as "name: text" \
lines or prose; written in the style that the file has), removeDocstring, checkDocstrings (also \
of a directory: missing ones, and parameters that are wrong), createPage (a new page of what the \
module, or the symbol, says of itself). On a Markdown page: setPageSection, addPageSection, \
removePageSection (section is a heading, as in "## Usage")."""


def write_python_doc(
    ctx: Context,
    operation: Annotated[str, Meta(description="What to do.")],
    file: Annotated[str, Meta(description="The Python file or the page, or a directory to check.")],
    symbol: Annotated[
        str | None,
        Meta(description="What in the file: function, Class or Class.method; none for the module."),
    ] = "",
    content: Annotated[str | None, Meta(description="What to put there.")] = "",
    section: Annotated[
        str | None, Meta(description="The section of a docstring or page that is to change.")
    ] = "",
    style: Annotated[
        Literal["google", "numpy", "rest"] | None,
        Meta(description="The style of docstrings, if not the one that the file has."),
    ] = None,
    page: Annotated[
        str | None, Meta(description="For createPage, the path of the new Markdown file.")
    ] = "",
) -> str:
    """Write or check documentation."""
    from paddock.toolkits.python import doc_writer  # noqa: PLC0415 - see the module's docstring

    task = doc_writer.DocTask(
        operation.strip(),
        file,
        (symbol or "").strip(),
        content or "",
        (section or "").strip(),
        style,
        page or "",
    )
    try:
        return doc_writer.run_doc_task(task, ctx)
    except ToolError:
        raise
    except PaddockError as error:
        raise ToolError(str(error)) from error


python_doc_tool = Tool(
    "PythonDoc",
    write_python_doc,
    title="Python documentation",
    description=PYTHON_DOC_DESCRIPTION,
    annotations={
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": False,
    },
    lenient=True,
    options={ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION},
)


DEFAULT_MAX_CHARACTERS = 10_000
SYMBOL_DEFINITION_DESCRIPTION = """\
Show the definitions of Python symbols: where they are, their source, signature and docstring; of \
modules what they consist of. They are looked for in the project, the packages of its environment \
and the standard library, without running anything.

Names are dotted (json.dumps, mypackage.module.Class.method), or those that a file knows if one is \
given. Several are separated by commas."""


def show_python_definitions(
    ctx: Context,
    symbols: Annotated[str, Meta(description="Dotted names, separated by commas.")],
    file: Annotated[
        str | None,
        Meta(description="A Python file: names are then those that it defines or imports."),
    ] = None,
    maxLength: Annotated[  # noqa: N803 - the name that clients know from SymbolDefinition
        int | None, Meta(description="Characters shown of each symbol (10000 if not given).")
    ] = DEFAULT_MAX_CHARACTERS,
    interpreter: Annotated[
        str | None,
        Meta(
            description="The Python whose packages are meant, or the directory of its environment."
        ),
    ] = None,
    live: Annotated[
        bool | None,
        Meta(
            description="Whether to import, in a process of their own, symbols that reading the "
            "files does not find. This runs the project's code."
        ),
    ] = False,
) -> str:
    """Show what Python symbols are."""
    from paddock.toolkits.python import symbol_lookup  # noqa: PLC0415 - see the module's docstring

    names = [name for part in symbols.split(",") if (name := part.strip())]
    if not names:
        raise ToolError("There are no names: `symbols` is empty", hint='as in symbols="json.dumps"')
    length = maxLength if maxLength and maxLength > 0 else DEFAULT_MAX_CHARACTERS
    wanted = symbol_lookup.SymbolQuery(names, file, length, interpreter, bool(live))
    try:
        return symbol_lookup.look_up_symbols(ctx, wanted)
    except ToolError:
        raise
    except PaddockError as error:
        raise ToolError(str(error)) from error


python_symbol_definition_tool = Tool(
    "PythonSymbolDefinition",
    show_python_definitions,
    title="Python symbol definition",
    description=SYMBOL_DEFINITION_DESCRIPTION,
    annotations={
        "readOnlyHint": False,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
    lenient=True,
    options={INTERPRETER_OPTION_NAME: INTERPRETER_OPTION, FOLDERS_OPTION: ALLOWED_FOLDERS_OPTION},
)


MAX_RUN_SECONDS = 604_800
RUN_TIME_OPTION_NAME, EACH_TEST_TIME_OPTION_NAME, RUN_MEMORY_OPTION_NAME = (
    "TimeConstraint",
    "TestTimeConstraint",
    "MemoryConstraint",
)
RUN_NETWORK_OPTION_NAME = "AllowNetwork"
DEFAULT_MAX_FAILURES = 50
PYTEST_REPORT_DESCRIPTION = """\
Run Python tests with pytest (unittest suites too) and report on them in Markdown: how many \
passed, and for each that did not its code, the expected and the actual value, traceback and output.

They run in the project's own Python: the virtual environment beside them, unless another one is \
named. A test that hangs is stopped and named, and the rest still runs."""

_RunSeconds = Annotated[float, Meta(gt=0, le=MAX_RUN_SECONDS)]


def run_python_tests(
    ctx: Context,
    paths: Annotated[
        str | None,
        Meta(
            description="Test files, directories or single tests (file::test), separated by "
            "commas. Without any, what the project says are its tests."
        ),
    ] = "",
    keyword: Annotated[
        str | None, Meta(description="Run only tests whose names match, as pytest's -k.")
    ] = "",
    marker: Annotated[
        str | None, Meta(description="Run only tests with such markers, as pytest's -m.")
    ] = "",
    interpreter: Annotated[
        str | None,
        Meta(description="The Python to run them with, or the directory of its environment."),
    ] = None,
    timeConstraint: Annotated[  # noqa: N803 - the name that clients know from TestReport
        Annotated[int, Meta(gt=0, le=MAX_RUN_SECONDS)] | None,
        Meta(description="Seconds that all tests together may take."),
    ] = None,
    testTimeConstraint: Annotated[  # noqa: N803 - likewise
        Annotated[int, Meta(gt=0, le=MAX_RUN_SECONDS)] | None,
        Meta(description="Seconds that each test may take."),
    ] = None,
    memoryConstraint: Annotated[  # noqa: N803 - likewise
        Annotated[int, Meta(gt=0)] | None,
        Meta(description="Bytes of memory that the tests and what they start may take."),
    ] = None,
    limit: Annotated[
        int | None, Meta(description="How many failing tests are told at most (50 if not given).")
    ] = DEFAULT_MAX_FAILURES,
) -> str:
    """Run tests, and report on them."""
    from paddock.toolkits.python import pytest_report  # noqa: PLC0415 - see the module's docstring
    from paddock.toolkits.python.pytest_runner import PytestLimits  # noqa: PLC0415 - likewise

    wanted = pytest_report.PytestSelection(
        paths or "",
        keyword or "",
        marker or "",
        interpreter,
        limit if limit and limit > 0 else DEFAULT_MAX_FAILURES,
    )
    limits = PytestLimits(
        timeConstraint or ctx.options[RUN_TIME_OPTION_NAME],
        testTimeConstraint or ctx.options[EACH_TEST_TIME_OPTION_NAME],
        memoryConstraint or ctx.options[RUN_MEMORY_OPTION_NAME],
        ctx.options[RUN_NETWORK_OPTION_NAME],
    )
    try:
        return pytest_report.run_and_report(ctx, wanted, limits)
    except ToolError:
        raise
    except PaddockError as error:
        raise ToolError(str(error)) from error


python_test_report_tool = Tool(
    "PythonTestReport",
    run_python_tests,
    title="Report on Python tests",
    description=PYTEST_REPORT_DESCRIPTION,
    annotations={
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": True,
    },
    task="optional",
    lenient=True,
    options={
        INTERPRETER_OPTION_NAME: INTERPRETER_OPTION,
        RUN_TIME_OPTION_NAME: Option(600.0, _RunSeconds, "Seconds for all tests together"),
        EACH_TEST_TIME_OPTION_NAME: Option(120.0, _RunSeconds, "Seconds for each test"),
        RUN_MEMORY_OPTION_NAME: Option(
            4 << 30,
            Annotated[int, Meta(ge=64 << 20)],
            "Bytes of memory that the tests and what they start may take",
        ),
        RUN_NETWORK_OPTION_NAME: Option(True, bool, "Whether the tests may use the network"),
        FOLDERS_OPTION: ALLOWED_FOLDERS_OPTION,
    },
)
