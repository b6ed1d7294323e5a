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
    MEMORY,
    MEMORY_OPTION,
    NETWORK,
    NETWORK_OPTION,
    Seconds,
)
from paddock.toolkits.paths import ALLOWED_FOLDERS
from paddock.toolkits.paths import OPTION as FOLDERS_OPTION
from paddock.toolkits.wolfram.options import ENGINE, ENGINE_OPTION

SECONDS = "TimeConstraint"
DESCRIPTION = """\
Run Wolfram Language test files (.wlt) and report on them in Markdown: how many tests passed, and \
for each that did not its input, the expected and the actual value, and messages.

Each file runs in a kernel of its own, without earlier definitions: it has to load what it tests."""


def report_on_tests(
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
    from paddock.toolkits.wolfram.reporting import report  # noqa: PLC0415 - see the module's docstring

    try:
        found = report(
            ctx,
            paths,
            timeConstraint or ctx.options[SECONDS],
            memoryConstraint or ctx.options[MEMORY_OPTION],
            is_shared=newKernel is False,
        )
    except ToolError:
        raise
    except PaddockError as error:
        raise ToolError(str(error)) from error
    ctx.raise_if_cancelled()
    return found


test_report_tool = Tool(
    "TestReport",
    report_on_tests,
    title="Report on tests",
    description=DESCRIPTION,
    annotations={
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": False,
    },
    task="optional",
    lenient=True,
    options={
        ENGINE_OPTION: ENGINE,
        SECONDS: Option(600.0, Seconds, "Seconds for each file"),
        MEMORY_OPTION: MEMORY,
        NETWORK_OPTION: NETWORK,
        FOLDERS_OPTION: ALLOWED_FOLDERS,
    },
)
