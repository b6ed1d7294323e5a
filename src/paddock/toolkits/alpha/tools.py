"""The tool `WolframAlpha`: its parameter, options and description.

What it does is in `answering`, which is loaded with the first call.

The tool `WolframAlphaContext`: its parameter, options and description.

What it does is in `contexts`, which is loaded with the first call.

The tool `WolframContext`: its parameter, options and description.

What it does is in `combining`, which is loaded with the first call.

The prompts `WolframAlphaSearch` and `WolframSearch`, which clients see as `Search`.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.tool import Need, Tool
from paddock.authoring.tool_option import Option
from paddock.protocol.content import ImageContent, TextContent
from paddock.toolkits.alpha.settings import (
    MAX_QUERIES,
    OFFLINE_OPTIONS,
    QUERY_OPTIONS,
    READ_ONLY_ANNOTATIONS,
    QueryCount,
    describe_missing_app_id,
)
from paddock.toolkits.search_prompts import (
    create_search_prompt,
    format_search_text,
    get_option_values,
)

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
    from paddock.toolkits.alpha.queries import answer_query  # noqa: PLC0415 - see the module's docstring

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
    from paddock.toolkits.alpha.queries import collect_alpha_context  # noqa: PLC0415 - see the module's docstring

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
    from paddock.toolkits.alpha.queries import collect_wolfram_context  # noqa: PLC0415 - see the module's docstring

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
        LANGUAGE_RESULTS_OPTION_NAME: Option(
            True, bool, QUERY_OPTIONS[LANGUAGE_RESULTS_OPTION_NAME].description
        ),
    },
)


def search_wolfram_alpha(ctx: Context, query: str) -> str:
    """Search Wolfram|Alpha, with the options of `WolframAlphaContext`."""
    from paddock.toolkits.alpha.queries import collect_alpha_pieces  # noqa: PLC0415 - see the toolkit's docstring
    from paddock.toolkits.alpha.results import join_pieces  # noqa: PLC0415 - likewise

    options = get_option_values(ctx, wolfram_alpha_context_tool)
    return format_search_text(query, join_pieces(collect_alpha_pieces(ctx, query, options)))


def search_wolfram(ctx: Context, query: str) -> str:
    """Search documentation and Wolfram|Alpha, with the options of `WolframContext`."""
    from paddock.toolkits.alpha.queries import collect_wolfram_pieces  # noqa: PLC0415 - see the toolkit's docstring
    from paddock.toolkits.alpha.results import join_pieces  # noqa: PLC0415 - likewise

    options = get_option_values(ctx, wolfram_context_tool)
    return format_search_text(query, join_pieces(collect_wolfram_pieces(ctx, query, options)))


wolfram_alpha_search_prompt = create_search_prompt(
    search_wolfram_alpha,
    "Searches Wolfram Alpha knowledge base for relevant information.",
    "The search query for Wolfram Alpha",
)
wolfram_search_prompt = create_search_prompt(
    search_wolfram,
    "Searches for relevant Wolfram information to help answer a query.",
    "The search query",
)
