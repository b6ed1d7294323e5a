"""Results as a model reads them: blocks of Markdown, with pictures where they belong."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from paddock.protocol.model.content import ImageContent, TextContent
from paddock.toolkits.alpha.pieces import RemoteImage, QueryResult
from paddock.toolkits.alpha.places import get_page_url

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paddock.toolkits.alpha.pieces import ResultPiece

ToolContent = list[TextContent | ImageContent]
NO_RESULTS_TEXT = "No Results Found"
TIMED_OUT_TEXT = "Request timed out"
TRUNCATION_TEXT = "The rest is left out, because it is too long."


def format_result(result: QueryResult, most_characters: int) -> list[ResultPiece]:
    """A result between tags that say what was asked and where a person sees it."""
    query = escape_query(result.query)
    start = f"<result query='{query}' url='{get_page_url(result.query)}'>"
    return [start, *_truncate_pieces(result.pieces, most_characters), "</result>"]


def escape_query(query: str) -> str:
    """A query as it may stand in an attribute."""
    return html.escape(query, quote=False).replace("'", "&#39;")


def build_result_content(pieces: Sequence[ResultPiece], pictures: Mapping[str, ImageContent]) -> ToolContent:
    """Pieces as a client gets them; a picture follows on its link."""
    found: ToolContent = []
    text = ""
    for piece in pieces:
        text += f"\n\n{piece.markdown_link if isinstance(piece, RemoteImage) else piece}"
        picture = pictures.get(piece.url) if isinstance(piece, RemoteImage) else None
        if picture is not None:
            found += [TextContent(text if found else text.lstrip("\n")), picture]
            text = ""
    if text:
        found.append(TextContent(text if found else text.lstrip("\n")))
    return found


def join_pieces(pieces: Sequence[ResultPiece]) -> str:
    """Pieces as one text, with pictures as links."""
    return "".join(item.text for item in build_result_content(pieces, {}) if isinstance(item, TextContent))


def _truncate_pieces(pieces: Iterable[ResultPiece], most: int) -> list[ResultPiece]:
    """The pieces from the beginning for which there is room."""
    kept: list[ResultPiece] = []
    for piece in pieces:
        most -= len(piece.markdown_link if isinstance(piece, RemoteImage) else piece)
        if most < 0:
            shown = piece[: most + len(piece)] if isinstance(piece, str) else ""
            return [*kept, *([shown] if shown else []), TRUNCATION_TEXT]
        kept.append(piece)
    return kept
