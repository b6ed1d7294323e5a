"""Declarations of the Wolfram|Alpha tools and prompts.

The handlers are imported on the first call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta

from paddock.authoring.tool import Need, Option, Tool
from paddock.toolkits.alpha.settings import (
    MAX_QUERIES,
    OFFLINE_OPTIONS,
    QUERY_OPTIONS,
    QueryCount,
    describe_missing_app_id,
)
from paddock.toolkits.search_prompts import create_search_prompt
from paddock.toolkits.tool_options import READ_ANNOTATIONS, ToolArguments, ToolContent

if TYPE_CHECKING:
    from collections.abc import Mapping

LANGUAGE_RESULTS_OPTION_NAME = "IncludeWolframLanguageResults"


class AlphaQueryArguments(ToolArguments):
    """The arguments of `WolframAlpha`."""

    query: Annotated[str, Meta(description="A short query in English.")]


class AlphaContextArguments(ToolArguments):
    """The arguments of `WolframAlphaContext`."""

    context: Annotated[
        str, Meta(description="What you need to know, in English, one thing per sentence.")
    ]


class AlphaAndDocsContextArguments(ToolArguments):
    """The arguments of `WolframContext`."""

    context: Annotated[
        str,
        Meta(description="The task and what you need to know, in English, one thing per sentence."),
    ]


def _create_alpha_tool(
    name: str,
    handler_name: str,
    title: str,
    description: str,
    arguments: type[ToolArguments],
    options: Mapping[str, Option],
    *,
    is_app_id_required: bool,
) -> Tool:
    """Create a tool with the settings that all Wolfram|Alpha tools share.

    Args:
        name: The name of the tool.
        handler_name: The function in `paddock.toolkits.alpha.queries` that handles calls.
        title: The title of the tool for users.
        description: The description of the tool for models.
        arguments: The class of the arguments.
        options: The options that users can set.
        is_app_id_required: Whether the tool is useless without an AppID, the key for the service.
    """
    return Tool(
        name,
        f"paddock.toolkits.alpha.queries:{handler_name}",
        title=title,
        description=description,
        arguments=arguments,
        annotations={**READ_ANNOTATIONS, "openWorldHint": True},
        return_type=ToolContent,
        lenient=True,
        needs=Need(describe_missing_app_id, is_required=is_app_id_required),
        options=options,
    )


wolfram_alpha_tool = _create_alpha_tool(
    "WolframAlpha",
    "query_wolfram_alpha",
    "Wolfram|Alpha",
    """\
Query Wolfram|Alpha in natural language: mathematics, units, dates, physics, chemistry, astronomy, \
geography, people, money, weather and other data. Returns Markdown and images.

Ask in English, about one thing, in few words ("population of France", not "How many people live \
in France?"); separate several queries with tabs. If a result states a wrong assumption, ask again \
more precisely. A result that begins with "Offline" was computed locally, not by Wolfram|Alpha.""",
    AlphaQueryArguments,
    {**QUERY_OPTIONS, **OFFLINE_OPTIONS},
    is_app_id_required=False,
)
wolfram_alpha_context_tool = _create_alpha_tool(
    "WolframAlphaContext",
    "get_alpha_context",
    "Wolfram|Alpha context",
    """\
Get Wolfram|Alpha results that are relevant to a task: facts, figures and computations.

Describe in English what you need to know, one thing per sentence: every sentence becomes a query. \
Use it instead of answering from memory when Wolfram|Alpha may know better.""",
    AlphaContextArguments,
    {
        "MaxItems": Option(
            MAX_QUERIES, QueryCount, "Maximum number of queries; further sentences are ignored"
        ),
        **QUERY_OPTIONS,
    },
    is_app_id_required=True,
)
wolfram_context_tool = _create_alpha_tool(
    "WolframContext",
    "get_wolfram_context",
    "Wolfram context",
    """\
Get Wolfram Language documentation and Wolfram|Alpha results that are relevant to a task.

Describe the task and what you need to know in English, one thing per sentence. Use it before you \
write Wolfram Language code, and instead of answering from memory what can be computed.""",
    AlphaAndDocsContextArguments,
    {
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
    is_app_id_required=False,
)


wolfram_alpha_search_prompt = create_search_prompt(
    "paddock.toolkits.alpha.queries:search_wolfram_alpha",
    "Searches Wolfram Alpha knowledge base for relevant information.",
    "The search query for Wolfram Alpha",
)
wolfram_search_prompt = create_search_prompt(
    "paddock.toolkits.alpha.queries:search_wolfram",
    "Searches for relevant Wolfram information to help answer a query.",
    "The search query",
)
