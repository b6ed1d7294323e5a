"""The tool `WolframAlphaContext`: its parameter, options and description.

What it does is in `contexts`, which is loaded with the first call.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.need import Need
from paddock.authoring.option import Option
from paddock.authoring.tool import Tool
from paddock.protocol.model.content import ImageContent, TextContent
from paddock.toolkits.alpha.app_id import describe_missing_app_id
from paddock.toolkits.alpha.options import READ_ONLY_ANNOTATIONS, QueryCount, MAX_QUERIES, QUERY_OPTIONS

ToolContent = list[TextContent | ImageContent]
ALPHA_CONTEXT_DESCRIPTION = """\
Get results of Wolfram|Alpha that help with a task: facts, figures and computations.

Say in English what has to be known, one thing in each sentence: every sentence becomes a query. \
Use it before you answer from memory what Wolfram|Alpha may know better."""


def get_wolfram_alpha_context(
    ctx: Context,
    context: Annotated[
        str, Meta(description="What has to be known, in English, one thing in each sentence.")
    ],
) -> ToolContent:
    """Get results of Wolfram|Alpha for a task."""
    from paddock.toolkits.alpha.contexts import collect_alpha_context  # noqa: PLC0415 - see the module's docstring

    return collect_alpha_context(ctx, context)


wolfram_alpha_context_tool = Tool(
    "WolframAlphaContext",
    get_wolfram_alpha_context,
    title="Wolfram|Alpha context",
    description=ALPHA_CONTEXT_DESCRIPTION,
    annotations=READ_ONLY_ANNOTATIONS,
    return_type=ToolContent,
    lenient=True,
    needs=Need(describe_missing_app_id),
    options={
        "MaxItems": Option(MAX_QUERIES, QueryCount, "Queries for one context, the first of them"),
        **QUERY_OPTIONS,
    },
)
