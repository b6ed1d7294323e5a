"""What `WolframContext` and `WolframSearch` give: results of Wolfram|Alpha, and documentation.

Loaded with the first call.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from paddock.docsearch.answers import render
from paddock.docsearch.corpora.table import WOLFRAM
from paddock.docsearch.searching import look_up
from paddock.errors import PaddockError
from paddock.toolkits.alpha.contexts import SEPARATOR, alpha_pieces
from paddock.toolkits.alpha.pictures import fetch_pictures
from paddock.toolkits.alpha.places import places
from paddock.toolkits.alpha.wording import contents

if TYPE_CHECKING:
    from collections.abc import Mapping

    from paddock.authoring.context import Context
    from paddock.toolkits.alpha.pieces import Piece
    from paddock.toolkits.alpha.wording import Content

HEADER = "IMPORTANT: Use these pages of documentation when you write Wolfram Language code."
BUDGET = 12_000
"""Characters of documentation."""


def combined_context(ctx: Context, context: str) -> Content:
    """What was found for a context, with pictures; nothing when nothing was."""
    pieces = combined_pieces(ctx, context, ctx.options)
    pictures = fetch_pictures(
        pieces, places(ctx.options["BaseURL"]), ctx.options, lambda: ctx.is_cancelled
    )
    ctx.raise_if_cancelled()
    return contents(pieces, pictures)


def combined_pieces(ctx: Context, context: str, options: Mapping[str, Any]) -> list[Piece]:
    """What was found for a context; a part in which nothing was is left out."""
    asked = {**options, "MaxItems": options["WolframAlphaMaxItems"]}
    alpha = alpha_pieces(ctx, context, asked, severity="Warning")
    pages = documentation(context, options["WolframLanguageMaxItems"])
    return [*alpha, *([SEPARATOR] if alpha and pages else []), *pages]


def documentation(context: str, limit: int) -> list[str]:
    """Pages of documentation below a header, or what is missing, or nothing."""
    if not limit or not context.strip():
        return []
    try:
        found = look_up(context, WOLFRAM, limit=limit, budget=BUDGET)
    except PaddockError as error:
        return [f"Warning: the documentation cannot be searched: {error}"]
    if not found.hits:
        return []
    return [HEADER, render(found.hits, BUDGET), *found.notes]
