"""Handlers for the documentation Context tools and Search prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.handler_errors import ToolError
from paddock.docsearch.corpora.registry import resolve_corpus_names
from paddock.docsearch.search import format_hits, search_with_notes
from paddock.errors import PaddockError
from paddock.toolkits.documentation.tools import (
    python_context_tool,
    wolfram_language_context_tool,
)
from paddock.toolkits.search_prompts import format_search_text, get_option_values
from paddock.toolkits.tool_options import MAX_CHARACTERS_OPTION_NAME, MAX_ITEMS_OPTION_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from paddock.authoring.context import Context
    from paddock.authoring.tool import Tool
    from paddock.toolkits.documentation.tools import (
        DocsContextArguments,
        PythonContextArguments,
        WolframContextArguments,
    )

    ContextArguments = WolframContextArguments | PythonContextArguments | DocsContextArguments

RESULTS_HEADER = "Relevant documentation, best match first."
NO_RESULTS_TEXT = "No documentation was found. Describe the task in other words."


def find_documentation(arguments: ContextArguments, ctx: Context) -> str:
    """Return the documentation pages that help with a task, as Markdown.

    This is the handler for the Context tools, such as `DocsContext`.
    """
    return _search_and_format_pages(arguments.context, arguments.corpora, ctx.options)


def search_wolfram_language(arguments: dict[str, str], ctx: Context) -> str:
    """Return the text of the Search prompt for `{"query": …}`."""
    return _search_documentation(arguments["query"], "wolfram", wolfram_language_context_tool, ctx)


def search_python(arguments: dict[str, str], ctx: Context) -> str:
    """Return the text of the Search prompt for `{"query": …}`."""
    return _search_documentation(arguments["query"], "python", python_context_tool, ctx)


def _search_documentation(query: str, corpus: str, tool: Tool, ctx: Context) -> str:
    """Return the text of a Search prompt: the user's query, and the pages found for it.

    If the search fails, its error message is shown instead of the pages, so the client still gets
    a prompt.

    Args:
        query: The user's query.
        corpus: The name of a documentation corpus, or of a group such as "python".
        tool: The Context tool whose options limit the number and length of the pages.
        ctx: The context of the request.
    """
    try:
        results = _search_and_format_pages(query, [corpus], get_option_values(ctx, tool))
    except PaddockError as error:
        results = f"[Error] {error}"
    return format_search_text(query, results)


def _search_and_format_pages(
    question: str, corpora: Sequence[str], options: Mapping[str, Any]
) -> str:
    """Search documentation and return the best pages as Markdown.

    The character limit applies to the whole text, so the header and the search notes leave less
    room for the pages.

    Args:
        question: The task in natural language.
        corpora: Names of documentation corpora or corpus groups, such as "python".
        options: The options of the tool, which limit the number of pages and characters.

    Raises:
        PaddockError: The question is empty, a corpus does not exist, or the index is unusable.
    """
    if not question.strip():
        raise ToolError("There is nothing to search for: `context` is empty")
    max_pages, max_characters = options[MAX_ITEMS_OPTION_NAME], options[MAX_CHARACTERS_OPTION_NAME]
    results = search_with_notes(
        question, resolve_corpus_names(corpora), limit=max_pages, budget=max_characters
    )
    notes = [f"Note: {note}" for note in results.notes]
    if not results.hits:
        return "\n\n".join([NO_RESULTS_TEXT, *notes])
    # Two line breaks follow each line to separate it from the next part.
    header_characters = sum(len(line) + 2 for line in (RESULTS_HEADER, *notes))
    pages = format_hits(results.hits, max(max_characters - header_characters, 0))
    return "\n\n".join([RESULTS_HEADER, pages, *notes])
