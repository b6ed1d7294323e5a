"""The tool `PythonEvaluator`: its parameters, options and description.

What it does is in `evaluating`, which is loaded with the first call: whoever lists the tools of a
server needs no kernels.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.failures import ToolError
from paddock.authoring.tool import Tool
from paddock.errors import PaddockError
from paddock.protocol.model.content import ImageContent, TextContent
from paddock.toolkits.limits import EVALUATOR_OPTIONS, resolve_time_limit
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION
from paddock.toolkits.paths import ALLOWED_FOLDERS_OPTION_NAME as FOLDERS_OPTION
from paddock.toolkits.python.options import (
    GATEWAY_OPTION,
    GATEWAY_OPTION_NAME,
    INTERPRETER_OPTION,
    INTERPRETER_OPTION_NAME,
    KERNEL_OPTION,
    KERNEL_OPTION_NAME,
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
    from paddock.toolkits.python.evaluating import EvaluationRequest, run_evaluation  # noqa: PLC0415 - see above

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
