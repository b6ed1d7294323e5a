"""The tool `WolframAlpha`: its parameter, options and description.

What it does is in `answering`, which is loaded with the first call.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.need import Need
from paddock.authoring.tool import Tool
from paddock.protocol.model.content import ImageContent, TextContent
from paddock.toolkits.alpha.app_id import describe_missing_app_id
from paddock.toolkits.alpha.options import READ_ONLY_ANNOTATIONS, OFFLINE_OPTIONS, QUERY_OPTIONS

ToolContent = list[TextContent | ImageContent]
WOLFRAM_ALPHA_DESCRIPTION = """\
Ask Wolfram|Alpha in natural language: mathematics, units, dates, physics, chemistry, astronomy, \
geography, people, money, weather and other data. The answer is Markdown, with pictures.

Ask in English, for one thing, in few words ("population of France", not "How many people live in \
France?"); several queries may be separated by tabs. When an answer says what was assumed, and \
that is wrong, ask again and be more exact. An answer that begins with "Offline" is worked out \
here and not by Wolfram|Alpha."""


def query_wolfram_alpha(
    ctx: Context,
    query: Annotated[str, Meta(description="What to ask, in English and in few words.")],
) -> ToolContent:
    """Ask Wolfram|Alpha."""
    from paddock.toolkits.alpha.answering import answer_query  # noqa: PLC0415 - see the module's docstring

    return answer_query(ctx, query)


wolfram_alpha_tool = Tool(
    "WolframAlpha",
    query_wolfram_alpha,
    title="Wolfram|Alpha",
    description=WOLFRAM_ALPHA_DESCRIPTION,
    annotations=READ_ONLY_ANNOTATIONS,
    return_type=ToolContent,
    lenient=True,
    needs=Need(describe_missing_app_id, is_required=False),
    options={**QUERY_OPTIONS, **OFFLINE_OPTIONS},
)
