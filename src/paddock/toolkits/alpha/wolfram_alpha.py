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
from paddock.toolkits.alpha.app_id import missing_app_id
from paddock.toolkits.alpha.options import HINTS, OFFLINE_OPTIONS, OPTIONS

Content = list[TextContent | ImageContent]
DESCRIPTION = """\
Ask Wolfram|Alpha in natural language: mathematics, units, dates, physics, chemistry, astronomy, \
geography, people, money, weather and other data. The answer is Markdown, with pictures.

Ask in English, for one thing, in few words ("population of France", not "How many people live in \
France?"); several queries may be separated by tabs. When an answer says what was assumed, and \
that is wrong, ask again and be more exact. An answer that begins with "Offline" is worked out \
here and not by Wolfram|Alpha."""


def ask_wolfram_alpha(
    ctx: Context,
    query: Annotated[str, Meta(description="What to ask, in English and in few words.")],
) -> Content:
    """Ask Wolfram|Alpha."""
    from paddock.toolkits.alpha.answering import answer  # noqa: PLC0415 - see the module's docstring

    return answer(ctx, query)


wolfram_alpha_tool = Tool(
    "WolframAlpha",
    ask_wolfram_alpha,
    title="Wolfram|Alpha",
    description=DESCRIPTION,
    annotations=HINTS,
    return_type=Content,
    lenient=True,
    needs=Need(missing_app_id, is_required=False),
    options={**OPTIONS, **OFFLINE_OPTIONS},
)
