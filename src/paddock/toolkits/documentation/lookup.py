"""What the Context tools and Search prompts answer. Loaded with the first call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.handler_errors import ToolError
from paddock.docsearch.corpora.registry import resolve_corpus_names
from paddock.docsearch.search import format_hits, search_with_notes
from paddock.errors import PaddockError
from paddock.toolkits.tool_options import MAX_CHARACTERS_OPTION_NAME, MAX_ITEMS_OPTION_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

RESULTS_HEADER = "Use these pages of documentation; the first is the likeliest to help."
NO_RESULTS_TEXT = "Nothing was found in the documentation: describe the task in other words."


def format_context(question: str, corpora: Sequence[str], options: Mapping[str, Any]) -> str:
    """Pages that help with a task, within the limits that options set.

    Raises:
        ToolError: when nothing is asked, there is no such corpus, or the index cannot be used.
    """
    if not question.strip():
        raise ToolError("There is nothing to look for: `context` is empty")
    limit, budget = options[MAX_ITEMS_OPTION_NAME], options[MAX_CHARACTERS_OPTION_NAME]
    try:
        found = search_with_notes(
            question, resolve_corpus_names(corpora), limit=limit, budget=budget
        )
    except PaddockError as error:
        raise ToolError(str(error)) from error
    notes = [f"Note: {note}" for note in found.notes]
    if not found.hits:
        return "\n\n".join([NO_RESULTS_TEXT, *notes])
    room = budget - sum(len(line) + 2 for line in (RESULTS_HEADER, *notes))
    return "\n\n".join([RESULTS_HEADER, format_hits(found.hits, max(room, 0)), *notes])
