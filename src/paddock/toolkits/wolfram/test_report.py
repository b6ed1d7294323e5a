"""The tool `TestReport`: its parameters, options and description.

What it does is in `reporting`, which is loaded with the first call.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.failures import ToolError
from paddock.authoring.option import Option
from paddock.authoring.tool import Tool
from paddock.errors import PaddockError
from paddock.toolkits.limits import (
    MEMORY_OPTION,
    MEMORY_OPTION_NAME,
    NETWORK_OPTION,
    NETWORK_OPTION_NAME,
    TimeLimitSeconds,
)
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION_NAME as FOLDERS_OPTION
from paddock.toolkits.wolfram.options import ENGINE_OPTION, ENGINE_OPTION_NAME

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
    from paddock.toolkits.wolfram.reporting import run_and_report  # noqa: PLC0415 - see the module's docstring

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
