"""What the Context tools and Search prompts get from Wolfram|Alpha.

Each sentence of a context is a query. A service that is missing is told in the text, since whoever
asked may go on without. Loaded with the first call.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from paddock.toolkits.alpha.answering import NoResultError, run_queries
from paddock.toolkits.alpha.pictures import fetch_images
from paddock.toolkits.alpha.places import create_service_urls
from paddock.toolkits.alpha.wording import build_result_content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.authoring.context import Context
    from paddock.toolkits.alpha.pieces import ResultPiece
    from paddock.toolkits.alpha.wording import ToolContent

ALPHA_HEADER = (
    "IMPORTANT: These results of Wolfram|Alpha were found for the text that was given. Use what is "
    "in them, and say that it is from Wolfram|Alpha."
)
SECTION_SEPARATOR = "======"
IMAGE_HINT = (
    "To show a picture to the user, repeat its Markdown link; to name a source, give the URL of "
    "the result."
)
MAX_SENTENCE_CHARACTERS = 200
"""Of a sentence that can be a query; Wolfram|Alpha does not understand long ones."""
_SENTENCE_END_PATTERN = re.compile(r"(?<=[.?!;])\s+(?=[A-Z\d\"'(])|[\n\r\t]+")
_ABBREVIATION_PATTERN = re.compile(r"\b(?:[A-Z]|e\.g|i\.e|vs|approx|Dr|Mr|Mrs|Ms|St|No|Mt|U\.S)\.$")


def collect_alpha_context(ctx: Context, context: str) -> ToolContent:
    """The results for a context, with their pictures; nothing when there is nothing to ask."""
    pieces = collect_alpha_pieces(ctx, context, ctx.options)
    pictures = fetch_images(
        pieces, create_service_urls(ctx.options["BaseURL"]), ctx.options, lambda: ctx.is_cancelled
    )
    ctx.raise_if_cancelled()
    return build_result_content(pieces, pictures)


def collect_alpha_pieces(
    ctx: Context, context: str, options: Mapping[str, Any], *, severity: str = "Error"
) -> list[ResultPiece]:
    """The results for a context, or what is missing, or nothing."""
    queries = extract_queries(context)[: options["MaxItems"]]
    if not queries:
        return []
    try:
        found = run_queries(ctx, queries, options)
    except NoResultError as error:
        return [f"{severity}: {error}"]
    return [ALPHA_HEADER, SECTION_SEPARATOR, *found.pieces, IMAGE_HINT]


def extract_queries(context: str) -> list[str]:
    """The sentences that can be asked, each once."""
    sentences: list[str] = []
    for part in _SENTENCE_END_PATTERN.split(context):
        if sentences and _ABBREVIATION_PATTERN.search(sentences[-1]):
            sentences[-1] = f"{sentences[-1]} {part}"
        else:
            sentences.append(part)
    found = (" ".join(one.strip(" \t-*#>.").split()) for one in sentences)
    return list(dict.fromkeys(one for one in found if _is_queryable(one)))


def _is_queryable(sentence: str) -> bool:
    return len(sentence) <= MAX_SENTENCE_CHARACTERS and any(letter.isalnum() for letter in sentence)
