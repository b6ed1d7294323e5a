"""Search results for the Context tools and Search prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.handler_errors import ToolError
from paddock.docsearch.corpora.registry import resolve_corpus_names
from paddock.docsearch.search import format_hits, search_with_notes
from paddock.errors import PaddockError
from paddock.toolkits.tool_options import MAX_CHARACTERS_OPTION_NAME, MAX_ITEMS_OPTION_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RESULTS_HEADER = "Relevant documentation, best match first."
NO_RESULTS_TEXT = "No documentation was found. Describe the task in other words."


def format_context(question: str, corpora: Sequence[str], options: Mapping[str, Any]) -> str:
    """Return documentation pages for a task as Markdown.

    The characters of the header and the notes are subtracted from the budget of the pages.

    Args:
        question: The task in natural language.
        corpora: Names of corpora or groups of corpora.
        options: The options of the tool, which limit the number of pages and characters.

    Raises:
        ToolError: The question is empty, a corpus does not exist, or the index is unusable.
    """
    if not question.strip():
        raise ToolError("There is nothing to search for: `context` is empty")
    limit, budget = options[MAX_ITEMS_OPTION_NAME], options[MAX_CHARACTERS_OPTION_NAME]
    try:
        results = search_with_notes(
            question, resolve_corpus_names(corpora), limit=limit, budget=budget
        )
    except PaddockError as error:
        raise ToolError(str(error)) from error
    notes = [f"Note: {note}" for note in results.notes]
    if not results.hits:
        return "\n\n".join([NO_RESULTS_TEXT, *notes])
    remaining_budget = budget - sum(len(line) + 2 for line in (RESULTS_HEADER, *notes))
    return "\n\n".join(
        [RESULTS_HEADER, format_hits(results.hits, max(remaining_budget, 0)), *notes]
    )
