"""Shared parts of the Search prompts.

The text of a prompt repeats the query after the results so that the model notices if a client
truncated the text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.handler_reference import resolve_handler
from paddock.authoring.prompt import Prompt, PromptArgument

if TYPE_CHECKING:
    from paddock.authoring.context import Context
    from paddock.authoring.tool import Tool

# All search prompts have the same name: a client has at most one server of a family.
PROMPT_NAME = "Search"
SEARCH_ADVICE = "Use the above search results to answer the user's query below."


def create_search_prompt(reference: str, description: str, argument_description: str) -> Prompt:
    """Return a Search prompt, an MCP prompt whose only argument is the user's query.

    Args:
        reference: The handler, such as `package.module:function`. It takes the dictionary
            `{"query": …}` and the context, and is imported when the prompt is first used.
        description: The purpose of the prompt.
        argument_description: The purpose of the query.
    """
    return Prompt(
        PROMPT_NAME,
        handler=resolve_handler(reference),
        takes_dictionary=True,
        title="Search",
        description=description,
        arguments=[PromptArgument("query", argument_description, required=True)],
    )


def format_search_text(query: str, results: str) -> str:
    """Return the text of a Search prompt: the results, advice for the model, and the query."""
    return (
        f"<search-query>{query}</search-query>\n"
        f"<search-results>\n{results}\n</search-results>\n"
        f"{SEARCH_ADVICE}\n"
        f"<user-query>{query}</user-query>"
    )


def get_option_values(ctx: Context, tool: Tool) -> dict[str, Any]:
    """Return the values of a tool's options in the current server, or the defaults.

    Prompts have no options of their own, so they use those of the related tool.
    """
    tools = ctx.server.tools
    return next((other for other in tools if other.name == tool.name), tool).option_values
