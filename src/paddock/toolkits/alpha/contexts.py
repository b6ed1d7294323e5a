"""What the Context tools and Search prompts get from Wolfram|Alpha.

Each sentence of a context is a query. A service that is missing is told in the text, since whoever
asked may go on without. Loaded with the first call.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paddock.toolkits.alpha.answering import NoAnswerError, ask
from paddock.toolkits.alpha.pictures import fetch_pictures
from paddock.toolkits.alpha.places import places
from paddock.toolkits.alpha.wording import contents

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.authoring.context import Context
    from paddock.toolkits.alpha.pieces import Piece
    from paddock.toolkits.alpha.wording import Content

HEADER = (
    "IMPORTANT: These results of Wolfram|Alpha were found for the text that was given. Use what is "
    "in them, and say that it is from Wolfram|Alpha."
)
SEPARATOR = "======"
HINT = (
    "To show a picture to the user, repeat its Markdown link; to name a source, give the URL of "
    "the result."
)
MOST_CHARACTERS = 200
"""Of a sentence that can be a query; Wolfram|Alpha does not understand long ones."""
_END = re.compile(r"(?<=[.?!;])\s+(?=[A-Z\d\"'(])|[\n\r\t]+")
_ABBREVIATION = re.compile(r"\b(?:[A-Z]|e\.g|i\.e|vs|approx|Dr|Mr|Mrs|Ms|St|No|Mt|U\.S)\.$")


def alpha_context(ctx: Context, context: str) -> Content:
    """The results for a context, with their pictures; nothing when there is nothing to ask."""
    pieces = alpha_pieces(ctx, context, ctx.options)
    pictures = fetch_pictures(
        pieces, places(ctx.options["BaseURL"]), ctx.options, lambda: ctx.is_cancelled
    )
    ctx.raise_if_cancelled()
    return contents(pieces, pictures)


def alpha_pieces(
    ctx: Context, context: str, options: Mapping[str, Any], *, severity: str = "Error"
) -> list[Piece]:
    """The results for a context, or what is missing, or nothing."""
    queries = queries_in(context)[: options["MaxItems"]]
    if not queries:
        return []
    try:
        found = ask(ctx, queries, options)
    except NoAnswerError as error:
        return [f"{severity}: {error}"]
    return [HEADER, SEPARATOR, *found.pieces, HINT]


def queries_in(context: str) -> list[str]:
    """The sentences that can be asked, each once."""
    sentences: list[str] = []
    for part in _END.split(context):
        if sentences and _ABBREVIATION.search(sentences[-1]):
            sentences[-1] = f"{sentences[-1]} {part}"
        else:
            sentences.append(part)
    found = (" ".join(one.strip(" \t-*#>.").split()) for one in sentences)
    return list(dict.fromkeys(one for one in found if _can_be_asked(one)))


def _can_be_asked(sentence: str) -> bool:
    return len(sentence) <= MOST_CHARACTERS and any(letter.isalnum() for letter in sentence)
