"""The tool `WolframLanguageEvaluator`: its parameters, options and description.

What it does is in `evaluating`, which is loaded with the first call: whoever lists the tools of a
server needs no kernels.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.failures import ToolError
from paddock.authoring.option import Option
from paddock.authoring.tool import Tool
from paddock.errors import PaddockError
from paddock.protocol.model.content import ImageContent, TextContent
from paddock.toolkits.wolfram.options import ENGINE, ENGINE_OPTION

if TYPE_CHECKING:
    from collections.abc import Mapping

Content = list[TextContent | ImageContent]
DESCRIPTION = """\
Evaluate Wolfram Language code. The answer has what the code prints, its messages, its value in \
InputForm, and its graphics as pictures.

Several expressions may be given; the value is that of the last one. Definitions and history (%, \
%n, Out[n]) are kept in a session: every answer ends with its id; give it as `session` to go on. \
The code runs without asking anybody, in a process of its own that has no network; it can read and \
write local files. Look a function up first if you are not sure of it. An engine other than \
Wolfram's may lack functions: what it does not know, it leaves unevaluated."""
OPTIONS = {
    ENGINE_OPTION: ENGINE,
    "TimeConstraint": Option(
        60.0, Annotated[float, Meta(gt=0)], "Seconds, for calls that do not say"
    ),
    "MaxCharacterCount": Option(10_000, Annotated[int, Meta(ge=1)], "Characters of a result"),
    "MaxSessionCount": Option(100, Annotated[int, Meta(ge=0)] | None, "Sessions that are kept"),
    "MaxSessionBytes": Option(1 << 30, Annotated[int, Meta(ge=0)] | None, "Their size in all"),
    "MaxSessionAge": Option(
        "1 month", str | float | None, "Since they were used: seconds, or such as 2 weeks"
    ),
    "ImageExportMethod": Option(
        None, Literal["Local"] | None, "Local: pictures are kept as files too, with links"
    ),
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
) -> Content:
    """Evaluate code in a session."""
    from paddock.toolkits.wolfram.evaluating import answer  # noqa: PLC0415 - see the module's docstring

    seconds = _seconds(code, timeConstraint, ctx.options)
    try:
        found = answer(ctx, code, seconds, session)
    except PaddockError as error:
        raise ToolError(str(error)) from error
    ctx.raise_if_cancelled()
    return found


def _seconds(code: str, given: int | None, options: Mapping[str, Any]) -> float:
    if not code.strip():
        raise ToolError("There is no code to evaluate: `code` is empty")
    if given is None:
        return float(options["TimeConstraint"])
    if given <= 0:
        raise ToolError(f"timeConstraint is {given}, expected a number of seconds above 0")
    return float(given)


evaluator_tool = Tool(
    "WolframLanguageEvaluator",
    evaluate_wolfram_language,
    title="Wolfram Language evaluator",
    description=DESCRIPTION,
    annotations={
        "readOnlyHint": False,
        "destructiveHint": True,
        "idempotentHint": False,
        "openWorldHint": False,
    },
    return_type=Content,
    task="optional",
    lenient=True,
    options=OPTIONS,
)
