"""Declarations of the Wolfram|Alpha tools and prompts."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from paddock.authoring.context import Context
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
Query Wolfram|Alpha in natural language: mathematics, units, dates, physics, chemistry, astronomy, \
geography, people, money, weather and other data. Returns Markdown and images.

Ask in English, about one thing, in few words ("population of France", not "How many people live \
in France?"); separate several queries with tabs. If a result states a wrong assumption, ask again \
more precisely. A result that begins with "Offline" was computed locally, not by Wolfram|Alpha."""


def query_wolfram_alpha(
    ctx: Context,
    query: Annotated[str, Meta(description="A short query in English.")],
) -> ToolContent:
    """Query Wolfram|Alpha."""
    from paddock.toolkits.alpha.queries import answer_query

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
Get Wolfram|Alpha results that are relevant to a task: facts, figures and computations.

Describe in English what you need to know, one thing per sentence: every sentence becomes a query. \
Use it instead of answering from memory when Wolfram|Alpha may know better."""


def get_wolfram_alpha_context(
    ctx: Context,
    context: Annotated[
        str, Meta(description="What you need to know, in English, one thing per sentence.")
    ],
) -> ToolContent:
    """Get results of Wolfram|Alpha for a task."""
    from paddock.toolkits.alpha.queries import collect_alpha_context

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
        "MaxItems": Option(
            MAX_QUERIES, QueryCount, "Maximum number of queries; further sentences are ignored"
        ),
        **QUERY_OPTIONS,
    },
)


LANGUAGE_RESULTS_OPTION_NAME = "IncludeWolframLanguageResults"
WOLFRAM_CONTEXT_DESCRIPTION = """\
Get Wolfram Language documentation and Wolfram|Alpha results that are relevant to a task.

Describe the task and what you need to know in English, one thing per sentence. Use it before you \
write Wolfram Language code, and instead of answering from memory what can be computed."""


def get_wolfram_context(
    ctx: Context,
    context: Annotated[
        str,
        Meta(description="The task and what you need to know, in English, one thing per sentence."),
    ],
) -> ToolContent:
    """Get documentation and results of Wolfram|Alpha for a task."""
    from paddock.toolkits.alpha.queries import collect_wolfram_context

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
            10, Annotated[int, Meta(ge=0, le=50)], "Maximum number of documentation pages"
        ),
        "WolframAlphaMaxItems": Option(
            MAX_QUERIES, QueryCount, "Maximum number of Wolfram|Alpha queries"
        ),
        **QUERY_OPTIONS,
        LANGUAGE_RESULTS_OPTION_NAME: Option(
            True, bool, QUERY_OPTIONS[LANGUAGE_RESULTS_OPTION_NAME].description
        ),
    },
)


def search_wolfram_alpha(ctx: Context, query: str) -> str:
    """Search Wolfram|Alpha with the options of `WolframAlphaContext`."""
    from paddock.toolkits.alpha.queries import collect_alpha_pieces
    from paddock.toolkits.alpha.results import join_pieces

    options = get_option_values(ctx, wolfram_alpha_context_tool)
    return format_search_text(query, join_pieces(collect_alpha_pieces(ctx, query, options)))


def search_wolfram(ctx: Context, query: str) -> str:
    """Search documentation and Wolfram|Alpha with the options of `WolframContext`."""
    from paddock.toolkits.alpha.queries import collect_wolfram_pieces
    from paddock.toolkits.alpha.results import join_pieces

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
