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
from paddock.toolkits.paths import ALLOWED_FOLDERS
from paddock.toolkits.paths import OPTION as FOLDERS_OPTION
from paddock.toolkits.python.options import INTERPRETER, INTERPRETER_OPTION

LONGEST_SECONDS = 604_800
SECONDS, TEST_SECONDS, MEMORY = "TimeConstraint", "TestTimeConstraint", "MemoryConstraint"
NETWORK = "AllowNetwork"
LIMIT = 50
DESCRIPTION = """\
Run Python tests with pytest (unittest suites too) and report on them in Markdown: how many \
passed, and for each that did not its code, the expected and the actual value, traceback and output.

They run in the project's own Python: the virtual environment beside them, unless another one is \
named. A test that hangs is stopped and named, and the rest still runs."""

_Seconds = Annotated[float, Meta(gt=0, le=LONGEST_SECONDS)]


def report_on_python_tests(
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
        Annotated[int, Meta(gt=0, le=LONGEST_SECONDS)] | None,
        Meta(description="Seconds that all tests together may take."),
    ] = None,
    testTimeConstraint: Annotated[  # noqa: N803 - likewise
        Annotated[int, Meta(gt=0, le=LONGEST_SECONDS)] | None,
        Meta(description="Seconds that each test may take."),
    ] = None,
    memoryConstraint: Annotated[  # noqa: N803 - likewise
        Annotated[int, Meta(gt=0)] | None,
        Meta(description="Bytes of memory that the tests and what they start may take."),
    ] = None,
    limit: Annotated[
        int | None, Meta(description="How many failing tests are told at most (50 if not given).")
    ] = LIMIT,
) -> str:
    """Run tests, and report on them."""
    from paddock.toolkits.python import test_reporting  # noqa: PLC0415 - see the module's docstring
    from paddock.toolkits.python.test_running import RunLimits  # noqa: PLC0415 - likewise

    wanted = test_reporting.Wanted(
        paths or "",
        keyword or "",
        marker or "",
        interpreter,
        limit if limit and limit > 0 else LIMIT,
    )
    limits = RunLimits(
        timeConstraint or ctx.options[SECONDS],
        testTimeConstraint or ctx.options[TEST_SECONDS],
        memoryConstraint or ctx.options[MEMORY],
        ctx.options[NETWORK],
    )
    try:
        return test_reporting.report(ctx, wanted, limits)
    except ToolError:
        raise
    except PaddockError as error:
        raise ToolError(str(error)) from error


python_test_report_tool = Tool(
    "PythonTestReport",
    report_on_python_tests,
    title="Report on Python tests",
    description=DESCRIPTION,
    annotations={
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": True,
    },
    task="optional",
    lenient=True,
    options={
        INTERPRETER_OPTION: INTERPRETER,
        SECONDS: Option(600.0, _Seconds, "Seconds for all tests together"),
        TEST_SECONDS: Option(120.0, _Seconds, "Seconds for each test"),
        MEMORY: Option(
            4 << 30,
            Annotated[int, Meta(ge=64 << 20)],
            "Bytes of memory that the tests and what they start may take",
        ),
        NETWORK: Option(True, bool, "Whether the tests may use the network"),
        FOLDERS_OPTION: ALLOWED_FOLDERS,
    },
)
