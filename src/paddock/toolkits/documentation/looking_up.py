"""What the Context tools and Search prompts answer. Loaded with the first call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.authoring.failures import ToolError
from paddock.docsearch.answers import render
from paddock.docsearch.corpora.table import named
from paddock.docsearch.searching import look_up
from paddock.errors import PaddockError
from paddock.toolkits.documentation.limits import MAX_CHARACTERS, MAX_ITEMS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

HEADER = "Use these pages of documentation; the first is the likeliest to help."
NOTHING = "Nothing was found in the documentation: describe the task in other words."


def context_text(question: str, corpora: Sequence[str], options: Mapping[str, Any]) -> str:
    """Pages that help with a task, within the limits that options set.

    Raises:
        ToolError: when nothing is asked, there is no such corpus, or the index cannot be used.
    """
    if not question.strip():
        raise ToolError("There is nothing to look for: `context` is empty")
    limit, budget = options[MAX_ITEMS], options[MAX_CHARACTERS]
    try:
        found = look_up(question, named(corpora), limit=limit, budget=budget)
    except PaddockError as error:
        raise ToolError(str(error)) from error
    notes = [f"Note: {note}" for note in found.notes]
    if not found.hits:
        return "\n\n".join([NOTHING, *notes])
    room = budget - sum(len(line) + 2 for line in (HEADER, *notes))
    return "\n\n".join([HEADER, render(found.hits, max(room, 0)), *notes])
