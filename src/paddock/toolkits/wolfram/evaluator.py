"""The tool `WolframLanguageEvaluator`: code in, an answer as a Wolfram notebook would give it.

Here are the tool's parameters, options and texts. Reading code and wording answers is done by
`paddock.kernels.wolfram_session`, keeping sessions by `paddock.kernels.sessions`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.failures import ToolError
from paddock.authoring.option import Option
from paddock.authoring.tool import Tool
from paddock.kernels.limits import Limits
from paddock.protocol.model.content import ImageContent, TextContent
from paddock.toolkits.wolfram.answers import contents, reminder

Content = list[TextContent | ImageContent]
MONTH = "1 month"
DESCRIPTION = """\
Evaluate Wolfram Language code and return what it prints, its messages, its value in InputForm and \
its graphics as pictures.

Several expressions may be given; the value is that of the last one. Definitions and the history \
(%, %n, Out[n]) are kept in a session: pass its id, which every answer ends with, as `session` to \
go on in it. The code runs without further questions, in a process of its own without access to the \
network; it can read and write local files. Look functions up before you use ones that you are not \
sure of. The engine that evaluates may be an open one that lacks some functions: what it does not \
know stays unevaluated."""
STATUS_TEXTS = {
    "reused": 'Nothing was saved under the session id "{id}": this is a new, empty session.',
    "resumed-new-kernel": "The session goes on in a new kernel process. Definitions and history "
    "were restored, but packages that were loaded and other state may be missing.",
}


def evaluate(
    ctx: Context,
    code: Annotated[str, Meta(description="The Wolfram Language code to evaluate.")],
    timeConstraint: Annotated[  # noqa: N803 - the parameter's name for clients
        int | None,
        Meta(description="Seconds that the evaluation may take; 60 unless set otherwise."),
    ] = None,
    session: Annotated[
        str | None,
        Meta(description="The id of the session to go on in, from an earlier answer."),
    ] = None,
) -> Content:
    """Evaluate code in a session."""
