"""What a result is made of, whichever service it came from: text and pictures, in their order."""

from __future__ import annotations

from typing import NamedTuple


class RemoteImage(NamedTuple):
    """A picture that is still where the service has it."""

    url: str
    alt_text: str

    @property
    def markdown_link(self) -> str:
        """The picture in Markdown."""
        alt = " ".join(self.alt_text.split()).replace("[", "(").replace("]", ")")
        return f"![{alt or 'Image'}]({self.url})"


ResultPiece = str | RemoteImage
"""Markdown, or a picture. Pieces are separated by blank lines."""


class QueryResult(NamedTuple):
    """What Wolfram|Alpha says about a query."""

    query: str
    pieces: tuple[ResultPiece, ...]
