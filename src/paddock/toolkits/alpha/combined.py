"""The tool `WolframContext`: its parameter, options and description.

What it does is in `combining`, which is loaded with the first call.
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
LANGUAGE_RESULTS_OPTION_NAME = "IncludeWolframLanguageResults"
WOLFRAM_CONTEXT_DESCRIPTION = """\
Get what helps with a task: documentation of the Wolfram Language, and results of Wolfram|Alpha.

Say in English what is to be done and what has to be known for it, one thing in each sentence. Use \
it before you write Wolfram Language code, or answer from memory what could be computed."""


def get_wolfram_context(
    ctx: Context,
    context: Annotated[
        str,
        Meta(description="What is to be done or known, in English, one thing in each sentence."),
    ],
) -> ToolContent:
    """Get documentation and results of Wolfram|Alpha for a task."""
    from paddock.toolkits.alpha.combining import collect_wolfram_context  # noqa: PLC0415 - see the module's docstring

    return collect_wolfram_context(ctx, context)


wolfram_context_tool = Tool(
    "WolframContext",
    get_wolfram_context,
    title="Wolfram context",
    description=WOLFRAM_CONTEXT_DESCRIPTION,
    annotations=READ_ONLY_ANNOTATIONS,
    return_type=ToolContent,
    lenient=True,
    needs=Need(describe_missing_app_id, is_required=False),
    options={
        "WolframLanguageMaxItems": Option(
            10, Annotated[int, Meta(ge=0, le=50)], "Pages of documentation"
        ),
        "WolframAlphaMaxItems": Option(MAX_QUERIES, QueryCount, "Queries to Wolfram|Alpha"),
        **QUERY_OPTIONS,
        LANGUAGE_RESULTS_OPTION_NAME: Option(True, bool, QUERY_OPTIONS[LANGUAGE_RESULTS_OPTION_NAME].description),
    },
)
