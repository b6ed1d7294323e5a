"""Declarations of the Python tools: evaluator, inspector, documentation, definitions and tests."""

from __future__ import annotations

from typing import Annotated, Any, Literal

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
    EVALUATOR_OPTIONS,
    GATEWAY_OPTION,
    GATEWAY_OPTION_NAME,
    INTERPRETER_OPTION,
    INTERPRETER_OPTION_NAME,
    ISSUE_LIMIT_PARAMETER,
    KERNEL_OPTION,
    KERNEL_OPTION_NAME,
    MAX_TIME_LIMIT_SECONDS,
    MEMORY_OPTION_NAME,
    NETWORK_OPTION_NAME,
    READ_ANNOTATIONS,
    TYPE_CHECKER_OPTION_NAME,
    WRITE_ANNOTATIONS,
    TimeLimitSeconds,
    convert_errors,
    resolve_time_limit,
)

ToolContent = list[TextContent | ImageContent]
EVALUATOR_DESCRIPTION = """\
Evaluate Python code and return its output, warnings, the value of the last expression, \
tracebacks, figures and images, and data frames as tables.

Names persist in a session: every result ends with its id; pass it as `session` to continue. An \
evaluation that reaches a limit, crashes or exits is rolled back. The code runs without \
confirmation in a separate process, with the Python of the project's virtual environment and in \
the project's directory. It can read and write local files; network access is off by default. \
Top-level `await` works; input() and IPython magics do not."""


def evaluate_python(
    ctx: Context,
    code: Annotated[str, Meta(description="The Python code to evaluate.")],
    timeConstraint: Annotated[
        int | None, Meta(description="Time limit in seconds (60 if not given).")
    ] = None,
    session: Annotated[
        str | None, Meta(description="Id of the session to continue, from an earlier result.")
    ] = None,
    interpreter: Annotated[
        str | None,
        Meta(
            description="Another Python than the project's: path of an executable or of a virtual "
            "environment."
        ),
    ] = None,
    kernel: Annotated[
        str | None,
        Meta(description="Name of a Jupyter kernel, of any language, to use instead of Python."),
    ] = None,
) -> ToolContent:
    """Evaluate code in a session."""
    from paddock.toolkits.python.evaluator import EvaluationRequest, run_evaluation

    seconds = resolve_time_limit(code, timeConstraint, ctx.options)
    request = EvaluationRequest(session, interpreter, kernel)
    with convert_errors():
        content = run_evaluation(ctx, code, seconds, request)
    ctx.raise_if_cancelled()
    return content


python_evaluator_tool = Tool(
    "PythonEvaluator",
    evaluate_python,
    title="Python evaluator",
    description=EVALUATOR_DESCRIPTION,
    annotations=WRITE_ANNOTATIONS,
    return_type=ToolContent,
    task="optional",
    lenient=True,
    options={
        INTERPRETER_OPTION_NAME: INTERPRETER_OPTION,
        KERNEL_OPTION_NAME: KERNEL_OPTION,
        GATEWAY_OPTION_NAME: GATEWAY_OPTION,
        ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION,
        **EVALUATOR_OPTIONS,
    },
)


CODE_INSPECTOR_DESCRIPTION = """\
Inspect Python code without running it and report syntax errors, undefined and unused names, \
likely bugs, wrong types and more, each with its location and, where possible, a fix. Give either \
code, or a file or directory.\
"""


def inspect_python_code(arguments: dict[str, Any], ctx: Context) -> str:
    """Return the inspection report for the code, file or directory in the arguments."""
    from paddock.toolkits.python import inspector

    return inspector.inspect_python(arguments, ctx)


python_code_inspector_tool = Tool(
    "PythonCodeInspector",
    inspect_python_code,
    title="Inspect Python code",
    description=CODE_INSPECTOR_DESCRIPTION,
    parameters=[
        CODE_PARAMETER,
        Parameter(
            "file",
            "string",
            "The file to inspect, or a directory, which is searched recursively for Python files.",
        ),
        Parameter(
            "tagExclusions",
            "string",
            "Tags to hide, separated by commas: a ruff rule such as F401, ty for all type errors, "
            "or ty::Argument.",
        ),
        Parameter(
            "severityExclusions",
            "string",
            "Severities to hide, separated by commas: Fatal, Error, Warning, Scoping, Remark, "
            "Formatting. Default: Formatting, or none if the project configures ruff. An empty "
            "string hides none.",
        ),
        CONFIDENCE_PARAMETER,
        ISSUE_LIMIT_PARAMETER,
        Parameter(
            "interpreter",
            "string",
            "Python whose packages the code can import, or the directory of its environment.",
        ),
    ],
    lenient=True,
    options={
        INTERPRETER_OPTION_NAME: INTERPRETER_OPTION,
        TYPE_CHECKER_OPTION_NAME: Option(
            None, Literal["ty", "mypy", "none"] | None, "Type checker: ty, mypy or none"
        ),
        ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION,
    },
    annotations=READ_ANNOTATIONS,
)


PYTHON_DOC_DESCRIPTION = """\
Write and check documentation of Python code: docstrings, edited in place, and Markdown reference \
pages. No code runs, and only documentation changes.

Operations on a Python file: createDocstring, setDocstring (content is the whole docstring), \
setDocstringSection (section such as Args, Returns, Raises, Examples; content as "name: text" \
lines or prose; written in the file's style), removeDocstring, checkDocstrings (also for a \
directory: missing docstrings and wrong parameters), createPage (a new page from the docstrings \
of the module or symbol). On a Markdown page: setPageSection, addPageSection, removePageSection \
(section is a heading, as in "## Usage")."""


def write_python_doc(
    ctx: Context,
    operation: Annotated[str, Meta(description="The operation to perform.")],
    file: Annotated[
        str, Meta(description="The Python file or Markdown page, or a directory to check.")
    ],
    symbol: Annotated[
        str | None,
        Meta(description="function, Class or Class.method in the file; empty for the module."),
    ] = "",
    content: Annotated[str | None, Meta(description="The new text.")] = "",
    section: Annotated[
        str | None, Meta(description="The section of the docstring or page to change.")
    ] = "",
    style: Annotated[
        Literal["google", "numpy", "rest"] | None,
        Meta(description="Docstring style. Defaults to the style of the file."),
    ] = None,
    page: Annotated[
        str | None, Meta(description="For createPage, path of the new Markdown file.")
    ] = "",
) -> str:
    """Write or check documentation."""
    from paddock.toolkits.python import doc_writer

    task = doc_writer.DocTask(
        operation.strip(),
        file,
        (symbol or "").strip(),
        content or "",
        (section or "").strip(),
        style,
        page or "",
    )
    with convert_errors():
        return doc_writer.run_doc_task(task, ctx)


python_doc_tool = Tool(
    "PythonDoc",
    write_python_doc,
    title="Python documentation",
    description=PYTHON_DOC_DESCRIPTION,
    annotations=WRITE_ANNOTATIONS,
    lenient=True,
    options={ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION},
)


DEFAULT_MAX_CHARACTERS = 10_000
SYMBOL_DEFINITION_DESCRIPTION = """\
Show the definitions of Python symbols: location, source, signature and docstring; for modules, \
their contents. Searches the project, the packages of its environment and the standard library \
without running any code.

Names are dotted (json.dumps, mypackage.module.Class.method), or names in `file` if it is given. \
Separate several names with commas."""


def show_python_definitions(
    ctx: Context,
    symbols: Annotated[str, Meta(description="Dotted names, separated by commas.")],
    file: Annotated[
        str | None,
        Meta(description="A Python file: look up names that it defines or imports."),
    ] = None,
    maxLength: Annotated[
        int | None, Meta(description="Maximum characters per symbol (10000 if not given).")
    ] = DEFAULT_MAX_CHARACTERS,
    interpreter: Annotated[
        str | None,
        Meta(description="Python whose packages to search, or the directory of its environment."),
    ] = None,
    live: Annotated[
        bool | None,
        Meta(
            description="Whether to import symbols that static analysis does not find, in a "
            "separate process. This runs the project's code."
        ),
    ] = False,
) -> str:
    """Show the definitions of Python symbols."""
    from paddock.toolkits.python import symbol_lookup

    names = [name for part in symbols.split(",") if (name := part.strip())]
    if not names:
        raise ToolError("`symbols` contains no names", hint='as in symbols="json.dumps"')
    length = maxLength if maxLength and maxLength > 0 else DEFAULT_MAX_CHARACTERS
    query = symbol_lookup.SymbolQuery(names, file, length, interpreter, bool(live))
    with convert_errors():
        return symbol_lookup.look_up_symbols(ctx, query)


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
    options={
        INTERPRETER_OPTION_NAME: INTERPRETER_OPTION,
        ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION,
    },
)


RUN_TIME_OPTION_NAME = "TimeConstraint"
EACH_TEST_TIME_OPTION_NAME = "TestTimeConstraint"
DEFAULT_MAX_FAILURES = 50
PYTEST_REPORT_DESCRIPTION = """\
Run Python tests with pytest (unittest suites too) and report in Markdown how many passed, and \
for each failure its code, expected and actual value, traceback and output.

Uses the project's virtual environment unless another Python is given. A test that hangs is \
stopped and reported, and the remaining tests still run."""

_TimeLimitSeconds = Annotated[int, Meta(gt=0, le=MAX_TIME_LIMIT_SECONDS)]


def run_python_tests(
    ctx: Context,
    paths: Annotated[
        str | None,
        Meta(
            description="Test files, directories or single tests (file::test), separated by "
            "commas. Default: the tests that the project configures."
        ),
    ] = "",
    keyword: Annotated[
        str | None, Meta(description="Run only tests whose names match, like pytest -k.")
    ] = "",
    marker: Annotated[
        str | None, Meta(description="Run only tests with matching markers, like pytest -m.")
    ] = "",
    interpreter: Annotated[
        str | None,
        Meta(description="Python that runs the tests, or the directory of its environment."),
    ] = None,
    timeConstraint: Annotated[
        _TimeLimitSeconds | None, Meta(description="Time limit for all tests, in seconds.")
    ] = None,
    testTimeConstraint: Annotated[
        _TimeLimitSeconds | None, Meta(description="Time limit for each test, in seconds.")
    ] = None,
    memoryConstraint: Annotated[
        Annotated[int, Meta(gt=0)] | None,
        Meta(description="Memory limit of the tests and their child processes, in bytes."),
    ] = None,
    limit: Annotated[
        int | None, Meta(description="Maximum number of failures to show (50 if not given).")
    ] = DEFAULT_MAX_FAILURES,
) -> str:
    """Run tests and report the results."""
    from paddock.toolkits.python import pytest_report
    from paddock.toolkits.python.pytest_runner import PytestLimits

    selection = pytest_report.PytestSelection(
        paths or "",
        keyword or "",
        marker or "",
        interpreter,
        limit if limit and limit > 0 else DEFAULT_MAX_FAILURES,
    )
    limits = PytestLimits(
        timeConstraint or ctx.options[RUN_TIME_OPTION_NAME],
        testTimeConstraint or ctx.options[EACH_TEST_TIME_OPTION_NAME],
        memoryConstraint or ctx.options[MEMORY_OPTION_NAME],
        ctx.options[NETWORK_OPTION_NAME],
    )
    with convert_errors():
        return pytest_report.run_and_report(ctx, selection, limits)


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
        RUN_TIME_OPTION_NAME: Option(
            600.0, TimeLimitSeconds, "Time limit for all tests, in seconds"
        ),
        EACH_TEST_TIME_OPTION_NAME: Option(
            120.0, TimeLimitSeconds, "Time limit for each test, in seconds"
        ),
        MEMORY_OPTION_NAME: Option(
            4 << 30,
            Annotated[int, Meta(ge=64 << 20)],
            "Memory limit of the tests and their child processes, in bytes",
        ),
        NETWORK_OPTION_NAME: Option(True, bool, "Whether the tests may access the network"),
        ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION,
    },
)
