"""The tools `CheckPaclet`, `BuildPaclet` and `SubmitPaclet`: parameters and descriptions.

What they do is in `packing`, which is loaded with the first call.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.tool import Tool
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION, ALLOWED_FOLDERS_OPTION_NAME

_PATH_META = Meta(
    description="The paclet's root directory, which holds PacletInfo.wl, or a file in it such as "
    "its definition notebook."
)


def check_paclet(ctx: Context, path: Annotated[str, _PATH_META]) -> str:
    """Say what is wrong with a paclet."""
    from paddock.toolkits.wolfram.packing import report_check  # noqa: PLC0415 - see the docstring above

    return report_check(ctx, path)


def build_paclet(
    ctx: Context,
    path: Annotated[str, _PATH_META],
    check: Annotated[  # the name that clients know
        bool | None, Meta(description="Whether to check first, and build only without errors.")
    ] = False,
) -> str:
    """Pack a paclet into an archive."""
    from paddock.toolkits.wolfram.packing import report_build  # noqa: PLC0415 - see the docstring above

    return report_build(ctx, path, is_checked=bool(check))


def submit_paclet(ctx: Context, path: Annotated[str, _PATH_META]) -> str:
    """Say what submitting a paclet takes."""
    from paddock.toolkits.wolfram.packing import report_submission  # noqa: PLC0415 - see above

    return report_submission(ctx, path)


_READ_ONLY_ANNOTATIONS = {"readOnlyHint": True, "openWorldHint": False}

check_paclet_tool = Tool(
    "CheckPaclet",
    check_paclet,
    title="Check a paclet",
    description="Check a Wolfram paclet without running it: what PacletInfo.wl says, whether the "
    "files it names are there, and whether the code can be read.",
    annotations=_READ_ONLY_ANNOTATIONS,
    lenient=True,
    options={ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION},
)
build_paclet_tool = Tool(
    "BuildPaclet",
    build_paclet,
    title="Build a paclet",
    description="Pack a Wolfram paclet into a .paclet archive in its directory `build`, in place "
    "of an earlier one of the same version.",
    annotations={
        "readOnlyHint": False,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    },
    lenient=True,
    options={ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION},
)
submit_paclet_tool = Tool(
    "SubmitPaclet",
    submit_paclet,
    title="Submit a paclet",
    description="Check a Wolfram paclet and say what submitting it to the paclet repository "
    "takes. Submitting itself needs a Wolfram system that is signed in.",
    annotations=_READ_ONLY_ANNOTATIONS,
    lenient=True,
    options={ALLOWED_FOLDERS_OPTION_NAME: ALLOWED_FOLDERS_OPTION},
)
