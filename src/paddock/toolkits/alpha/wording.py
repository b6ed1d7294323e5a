"""Results as a model reads them: blocks of Markdown, with pictures where they belong."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from paddock.protocol.model.content import ImageContent, TextContent
from paddock.toolkits.alpha.pieces import Picture, Result
from paddock.toolkits.alpha.places import page_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from paddock.toolkits.alpha.pieces import Piece

Content = list[TextContent | ImageContent]
NO_RESULTS = "No Results Found"
TIMED_OUT = "Request timed out"
CUT = "The rest is left out, because it is too long."


def block(result: Result, most_characters: int) -> list[Piece]:
    """A result between tags that say what was asked and where a person sees it."""
    query = escaped(result.query)
    start = f"<result query='{query}' url='{page_of(result.query)}'>"
    return [start, *_cut(result.pieces, most_characters), "</result>"]


def escaped(query: str) -> str:
    """A query as it may stand in an attribute."""
    return html.escape(query, quote=False).replace("'", "&#39;")


def contents(pieces: Sequence[Piece], pictures: Mapping[str, ImageContent]) -> Content:
    """Pieces as a client gets them; a picture follows on its link."""
    found: Content = []
    text = ""
    for piece in pieces:
        text += f"\n\n{piece.link if isinstance(piece, Picture) else piece}"
        picture = pictures.get(piece.url) if isinstance(piece, Picture) else None
        if picture is not None:
            found += [TextContent(text if found else text.lstrip("\n")), picture]
            text = ""
    if text:
        found.append(TextContent(text if found else text.lstrip("\n")))
    return found


def text_of_pieces(pieces: Sequence[Piece]) -> str:
    """Pieces as one text, with pictures as links."""
    return "".join(item.text for item in contents(pieces, {}) if isinstance(item, TextContent))


def _cut(pieces: Iterable[Piece], most: int) -> list[Piece]:
    """The pieces from the beginning for which there is room."""
    kept: list[Piece] = []
    for piece in pieces:
        most -= len(piece.link if isinstance(piece, Picture) else piece)
        if most < 0:
            shown = piece[: most + len(piece)] if isinstance(piece, str) else ""
            return [*kept, *([shown] if shown else []), CUT]
        kept.append(piece)
    return kept
