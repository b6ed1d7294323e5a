"""The tool `WolframLanguageEvaluator`: its parameters, options and description.

What it does is in `evaluating`, which is loaded with the first call: whoever lists the tools of a
server needs no kernels.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.failures import ToolError
from paddock.authoring.option import Option
from paddock.authoring.tool import Tool
from paddock.errors import PaddockError
from paddock.protocol.model.content import ImageContent, TextContent
from paddock.toolkits.limits import EVALUATOR_OPTIONS, resolve_time_limit
from paddock.toolkits.wolfram.options import ENGINE_OPTION, ENGINE_OPTION_NAME

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
    from paddock.toolkits.wolfram.evaluating import run_evaluation  # noqa: PLC0415 - see the module's docstring

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
