"""The text that Search prompts give: what was asked, what was found, and what was asked again.

The question is repeated so that a model sees when a client has cut it off.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.authoring.prompt import Prompt, PromptArgument

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.authoring.context import Context
    from paddock.authoring.tool import Tool

PROMPT_NAME = "Search"
"""What all of them are called in a client, which has one of them at most."""
SEARCH_ADVICE = "Use the above search results to answer the user's query below."


def create_search_prompt(
    handler: Callable[[Context, str], str], description: str, argument: str
) -> Prompt:
    """A prompt for a search."""
    return Prompt(
        PROMPT_NAME,
        handler=handler,
        title="Search",
        description=description,
        arguments=[PromptArgument("query", argument, required=True)],
    )


def format_search_text(query: str, results: str) -> str:
    """The text of a prompt."""
    return (
        f"<search-query>{query}</search-query>\n"
        f"<search-results>\n{results}\n</search-results>\n"
        f"{SEARCH_ADVICE}\n"
        f"<user-query>{query}</user-query>"
    )


def get_option_values(ctx: Context, tool: Tool) -> dict[str, object]:
    """The values that a tool's options have in the server of a prompt; else the defaults."""
    return next((one for one in ctx.server.tools if one.name == tool.name), tool).option_values
