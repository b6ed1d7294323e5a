"""The prompt `WolframAlphaSearch`, which clients see as `Search`."""

from __future__ import annotations

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.toolkits.alpha.context import wolfram_alpha_context_tool
from paddock.toolkits.searches import option_values, search_prompt, search_text


def search_wolfram_alpha(ctx: Context, query: str) -> str:
    """Search Wolfram|Alpha, with the options of `WolframAlphaContext`."""
    from paddock.toolkits.alpha.contexts import alpha_pieces  # noqa: PLC0415 - see the toolkit's docstring
    from paddock.toolkits.alpha.wording import contents, text_of  # noqa: PLC0415 - likewise

    tool = wolfram_alpha_context_tool
    options = option_values(ctx, tool.name) or tool.option_values
    return search_text(query, text_of(contents(alpha_pieces(ctx, query, options), {})))


wolfram_alpha_search_prompt = search_prompt(
    search_wolfram_alpha,
    "Searches Wolfram Alpha knowledge base for relevant information.",
    "The search query for Wolfram Alpha",
)
