"""What `WolframContext` and `WolframSearch` give: results of Wolfram|Alpha, and documentation.

Loaded with the first call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.docsearch.answers import format_hits
from paddock.docsearch.corpora.table import WOLFRAM_CORPORA
from paddock.docsearch.searching import search_with_notes
from paddock.errors import PaddockError
from paddock.toolkits.alpha.contexts import SECTION_SEPARATOR, collect_alpha_pieces
from paddock.toolkits.alpha.pictures import fetch_images
from paddock.toolkits.alpha.places import create_service_urls
from paddock.toolkits.alpha.wording import build_result_content

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.authoring.context import Context
    from paddock.toolkits.alpha.pieces import ResultPiece
    from paddock.toolkits.alpha.wording import ToolContent

DOCUMENTATION_HEADER = "IMPORTANT: Use these pages of documentation when you write Wolfram Language code."
MAX_DOCUMENTATION_CHARACTERS = 12_000
"""Characters of documentation."""


def collect_wolfram_context(ctx: Context, context: str) -> ToolContent:
    """What was found for a context, with pictures; nothing when nothing was."""
    pieces = collect_wolfram_pieces(ctx, context, ctx.options)
    pictures = fetch_images(
        pieces, create_service_urls(ctx.options["BaseURL"]), ctx.options, lambda: ctx.is_cancelled
    )
    ctx.raise_if_cancelled()
    return build_result_content(pieces, pictures)


def collect_wolfram_pieces(ctx: Context, context: str, options: Mapping[str, Any]) -> list[ResultPiece]:
    """What was found for a context; a part in which nothing was is left out."""
    asked = {**options, "MaxItems": options["WolframAlphaMaxItems"]}
    alpha = collect_alpha_pieces(ctx, context, asked, severity="Warning")
    pages = search_documentation(context, options["WolframLanguageMaxItems"])
    return [*alpha, *([SECTION_SEPARATOR] if alpha and pages else []), *pages]


def search_documentation(context: str, limit: int) -> list[str]:
    """Pages of documentation below a header, or what is missing, or nothing."""
    if not limit or not context.strip():
        return []
    try:
        found = search_with_notes(context, WOLFRAM_CORPORA, limit=limit, budget=MAX_DOCUMENTATION_CHARACTERS)
    except PaddockError as error:
        return [f"Warning: the documentation cannot be searched: {error}"]
    if not found.hits:
        return []
    return [DOCUMENTATION_HEADER, format_hits(found.hits, MAX_DOCUMENTATION_CHARACTERS), *found.notes]
