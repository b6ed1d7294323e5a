"""The prompts `WolframAlphaSearch` and `WolframSearch`, which clients see as `Search`."""

from __future__ import annotations

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.toolkits.alpha.combined import wolfram_context_tool
from paddock.toolkits.alpha.context import wolfram_alpha_context_tool
from paddock.toolkits.searches import get_option_values, create_search_prompt, format_search_text


def search_wolfram_alpha(ctx: Context, query: str) -> str:
    """Search Wolfram|Alpha, with the options of `WolframAlphaContext`."""
    from paddock.toolkits.alpha.contexts import collect_alpha_pieces  # noqa: PLC0415 - see the toolkit's docstring
    from paddock.toolkits.alpha.wording import join_pieces  # noqa: PLC0415 - likewise

    options = get_option_values(ctx, wolfram_alpha_context_tool)
    return format_search_text(query, join_pieces(collect_alpha_pieces(ctx, query, options)))


def search_wolfram(ctx: Context, query: str) -> str:
    """Search documentation and Wolfram|Alpha, with the options of `WolframContext`."""
    from paddock.toolkits.alpha.combining import collect_wolfram_pieces  # noqa: PLC0415 - see the toolkit's docstring
    from paddock.toolkits.alpha.wording import join_pieces  # noqa: PLC0415 - likewise

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
