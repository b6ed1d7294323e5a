"""The prompts `WolframAlphaSearch` and `WolframSearch`, which clients see as `Search`."""

from __future__ import annotations

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.toolkits.alpha.combined import wolfram_context_tool
from paddock.toolkits.alpha.context import wolfram_alpha_context_tool
from paddock.toolkits.searches import option_values, search_prompt, search_text


def search_wolfram_alpha(ctx: Context, query: str) -> str:
    """Search Wolfram|Alpha, with the options of `WolframAlphaContext`."""
    from paddock.toolkits.alpha.contexts import alpha_pieces  # noqa: PLC0415 - see the toolkit's docstring
    from paddock.toolkits.alpha.wording import text_of_pieces  # noqa: PLC0415 - likewise

    options = option_values(ctx, wolfram_alpha_context_tool)
    return search_text(query, text_of_pieces(alpha_pieces(ctx, query, options)))


def search_wolfram(ctx: Context, query: str) -> str:
    """Search documentation and Wolfram|Alpha, with the options of `WolframContext`."""
    from paddock.toolkits.alpha.combining import combined_pieces  # noqa: PLC0415 - see the toolkit's docstring
    from paddock.toolkits.alpha.wording import text_of_pieces  # noqa: PLC0415 - likewise

    options = option_values(ctx, wolfram_context_tool)
    return search_text(query, text_of_pieces(combined_pieces(ctx, query, options)))


wolfram_alpha_search_prompt = search_prompt(
    search_wolfram_alpha,
    "Searches Wolfram Alpha knowledge base for relevant information.",
    "The search query for Wolfram Alpha",
)
wolfram_search_prompt = search_prompt(
    search_wolfram,
    "Searches for relevant Wolfram information to help answer a query.",
    "The search query",
)
