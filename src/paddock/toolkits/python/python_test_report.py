"""The tool `PythonTestReport`: its parameters, options and description.

What it does is in `test_reporting`, which is loaded with the first call.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.failures import ToolError
from paddock.authoring.option import Option
from paddock.authoring.tool import Tool
from paddock.errors import PaddockError
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION_NAME as FOLDERS_OPTION
from paddock.toolkits.python.options import INTERPRETER_OPTION, INTERPRETER_OPTION_NAME

MAX_RUN_SECONDS = 604_800
RUN_TIME_OPTION_NAME, EACH_TEST_TIME_OPTION_NAME, RUN_MEMORY_OPTION_NAME = "TimeConstraint", "TestTimeConstraint", "MemoryConstraint"
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
    from paddock.toolkits.python import test_reporting  # noqa: PLC0415 - see the module's docstring
    from paddock.toolkits.python.test_running import PytestLimits  # noqa: PLC0415 - likewise

    wanted = test_reporting.PytestSelection(
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
        return test_reporting.run_and_report(ctx, wanted, limits)
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
