"""What a result is made of, whichever service it came from: text and pictures, in their order."""

from __future__ import annotations

from typing import NamedTuple


class Picture(NamedTuple):
    """A picture that is still where the service has it."""

    url: str
    alt: str

    @property
    def link(self) -> str:
        """The picture in Markdown."""
        alt = " ".join(self.alt.split()).replace("[", "(").replace("]", ")")
        return f"![{alt or 'Image'}]({self.url})"


Piece = str | Picture
"""Markdown, or a picture. Pieces are separated by blank lines."""


class Result(NamedTuple):
    """What Wolfram|Alpha says about a query."""

    query: str
    pieces: tuple[Piece, ...]
