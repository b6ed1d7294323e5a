"""Declarations of the Python tools: evaluator, inspector, documentation, definitions and tests.

The handlers are imported on the first call.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from paddock.authoring.tool import Option, Parameter, Tool
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTIONS
from paddock.toolkits.tool_options import (
    CACHE_ANNOTATIONS,
    CODE_PARAMETER,
    CONFIDENCE_PARAMETER,
    EVALUATOR_OPTIONS,
    INTERPRETER_OPTIONS,
    ISSUE_LIMIT_PARAMETER,
    JUPYTER_OPTIONS,
    MAX_TIME_LIMIT_SECONDS,
    MEMORY_OPTION_NAME,
    NETWORK_OPTION_NAME,
    READ_ANNOTATIONS,
    TYPE_CHECKER_OPTION_NAME,
    WRITE_ANNOTATIONS,
    TimeLimitSeconds,
    ToolArguments,
    ToolContent,
)


class PythonEvaluatorArguments(ToolArguments):
    """The arguments of `PythonEvaluator`."""

    code: Annotated[str, Meta(description="The Python code to evaluate.")]
    time_constraint: Annotated[
        int | None, Meta(description="Time limit in seconds (60 if not given).")
    ] = None
    session: Annotated[
        str | None, Meta(description="Id of the session to continue, from an earlier result.")
    ] = None
    interpreter: Annotated[
        str | None,
        Meta(
            description="Another Python than the project's: path of an executable or of a virtual "
            "environment."
        ),
    ] = None
    kernel: Annotated[
        str | None,
        Meta(description="Name of a Jupyter kernel, of any language, to use instead of Python."),
    ] = None


python_evaluator_tool = Tool(
    "PythonEvaluator",
    "paddock.toolkits.python.evaluator:evaluate_python",
    title="Python evaluator",
    description="""\
Evaluate Python code and return its output, warnings, the value of the last expression, \
tracebacks, figures and images, and data frames as tables.

Names persist in a session: every result ends with its id; pass it as `session` to continue. An \
evaluation that reaches a limit, crashes or exits is rolled back. The code runs without \
confirmation in a separate process, with the Python of the project's virtual environment and in \
the project's directory. It can read and write local files; network access is off by default. \
Top-level `await` works; input() and IPython magics do not.""",
    arguments=PythonEvaluatorArguments,
    annotations=WRITE_ANNOTATIONS,
    return_type=ToolContent,
    task="optional",
    lenient=True,
    options={
        **INTERPRETER_OPTIONS,
        **JUPYTER_OPTIONS,
        **ALLOWED_FOLDERS_OPTIONS,
        **EVALUATOR_OPTIONS,
    },
)
python_code_inspector_tool = Tool(
    "PythonCodeInspector",
    "paddock.toolkits.python.inspector:inspect_python",
    title="Inspect Python code",
    description="""\
Inspect Python code without running it and report syntax errors, undefined and unused names, \
likely bugs, wrong types and more, each with its location and, where possible, a fix. Give either \
code, or a file or directory.\
""",
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
        **INTERPRETER_OPTIONS,
        TYPE_CHECKER_OPTION_NAME: Option(
            None, Literal["ty", "mypy", "none"] | None, "Type checker: ty, mypy or none"
        ),
        **ALLOWED_FOLDERS_OPTIONS,
    },
    annotations=READ_ANNOTATIONS,
)


class PythonDocArguments(ToolArguments):
    """The arguments of `PythonDoc`. Null means the same as an empty text."""

    operation: Annotated[str, Meta(description="The operation to perform.")]
    file: Annotated[
        str, Meta(description="The Python file or Markdown page, or a directory to check.")
    ]
    symbol: Annotated[
        str | None,
        Meta(description="function, Class or Class.method in the file; empty for the module."),
    ] = ""
    content: Annotated[str | None, Meta(description="The new text.")] = ""
    section: Annotated[
        str | None, Meta(description="The section of the docstring or page to change.")
    ] = ""
    style: Annotated[
        Literal["google", "numpy", "rest"] | None,
        Meta(description="Docstring style. Defaults to the style of the file."),
    ] = None
    page: Annotated[
        str | None, Meta(description="For createPage, path of the new Markdown file.")
    ] = ""


python_doc_tool = Tool(
    "PythonDoc",
    "paddock.toolkits.python.doc_writer:write_python_doc",
    title="Python documentation",
    description="""\
Write and check documentation of Python code: docstrings, edited in place, and Markdown reference \
pages. No code runs, and only documentation changes.

Operations on a Python file: createDocstring, setDocstring (content is the whole docstring), \
setDocstringSection (section such as Args, Returns, Raises, Examples; content as "name: text" \
lines or prose; written in the file's style), removeDocstring, checkDocstrings (also for a \
directory: missing docstrings and wrong parameters), createPage (a new page from the docstrings \
of the module or symbol). On a Markdown page: setPageSection, addPageSection, removePageSection \
(section is a heading, as in "## Usage").""",
    arguments=PythonDocArguments,
    annotations=WRITE_ANNOTATIONS,
    lenient=True,
    options=ALLOWED_FOLDERS_OPTIONS,
)


DEFAULT_MAX_CHARACTERS = 10_000


class PythonSymbolArguments(ToolArguments):
    """The arguments of `PythonSymbolDefinition`."""

    symbols: Annotated[str, Meta(description="Dotted names, separated by commas.")]
    file: Annotated[
        str | None, Meta(description="A Python file: look up names that it defines or imports.")
    ] = None
    max_length: Annotated[
        int | None, Meta(description="Maximum characters per symbol (10000 if not given).")
    ] = DEFAULT_MAX_CHARACTERS
    interpreter: Annotated[
        str | None,
        Meta(description="Python whose packages to search, or the directory of its environment."),
    ] = None
    live: Annotated[
        bool | None,
        Meta(
            description="Whether to import symbols that static analysis does not find, in a "
            "separate process. This runs the project's code."
        ),
    ] = False


python_symbol_definition_tool = Tool(
    "PythonSymbolDefinition",
    "paddock.toolkits.python.symbol_lookup:show_python_definitions",
    title="Python symbol definition",
    description="""\
Show the definitions of Python symbols: location, source, signature and docstring; for modules, \
their contents. Searches the project, the packages of its environment and the standard library \
without running any code.

Names are dotted (json.dumps, mypackage.module.Class.method), or names in `file` if it is given. \
Separate several names with commas.""",
    arguments=PythonSymbolArguments,
    annotations=CACHE_ANNOTATIONS,
    lenient=True,
    options={
        **INTERPRETER_OPTIONS,
        **ALLOWED_FOLDERS_OPTIONS,
    },
)


RUN_TIME_OPTION_NAME = "TimeConstraint"
EACH_TEST_TIME_OPTION_NAME = "TestTimeConstraint"
DEFAULT_MAX_FAILURES = 50
_TimeLimitSeconds = Annotated[int, Meta(gt=0, le=MAX_TIME_LIMIT_SECONDS)]


class PytestArguments(ToolArguments):
    """The arguments of `PythonTestReport`."""

    paths: Annotated[
        str | None,
        Meta(
            description="Test files, directories or single tests (file::test), separated by "
            "commas. Default: the tests that the project configures."
        ),
    ] = ""
    keyword: Annotated[
        str | None, Meta(description="Run only tests whose names match, like pytest -k.")
    ] = ""
    marker: Annotated[
        str | None, Meta(description="Run only tests with matching markers, like pytest -m.")
    ] = ""
    interpreter: Annotated[
        str | None,
        Meta(description="Python that runs the tests, or the directory of its environment."),
    ] = None
    time_constraint: Annotated[
        _TimeLimitSeconds | None, Meta(description="Time limit for all tests, in seconds.")
    ] = None
    test_time_constraint: Annotated[
        _TimeLimitSeconds | None, Meta(description="Time limit for each test, in seconds.")
    ] = None
    memory_constraint: Annotated[
        Annotated[int, Meta(gt=0)] | None,
        Meta(description="Memory limit of the tests and their child processes, in bytes."),
    ] = None
    limit: Annotated[
        int | None, Meta(description="Maximum number of failures to show (50 if not given).")
    ] = DEFAULT_MAX_FAILURES


python_test_report_tool = Tool(
    "PythonTestReport",
    "paddock.toolkits.python.pytest_report:run_python_tests",
    title="Report on Python tests",
    description="""\
Run Python tests with pytest (unittest suites too) and report in Markdown how many passed, and \
for each failure its code, expected and actual value, traceback and output.

Uses the project's virtual environment unless another Python is given. A test that hangs is \
stopped and reported, and the remaining tests still run.""",
    arguments=PytestArguments,
    annotations={**WRITE_ANNOTATIONS, "openWorldHint": True},
    task="optional",
    lenient=True,
    options={
        **INTERPRETER_OPTIONS,
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
        **ALLOWED_FOLDERS_OPTIONS,
    },
)
