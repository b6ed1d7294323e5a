"""Answers as the protocol carries them: text, pictures as PNG, what the model is told besides."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.directories import data_directory
from paddock.errors import PaddockError
from paddock.files import write_atomically
from paddock.kernels.drawing import can_draw, draw
from paddock.kernels.wolfram_session import Picture
from paddock.protocol.model.content import ImageContent, TextContent
from paddock.wolfram import spelled_out

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paddock.kernels.wolfram_session import Item

Content = list[TextContent | ImageContent]
NO_RENDERER = "A picture is left out: install resvg-py to see it (pip install resvg-py)."
SHOW_PICTURES = (
    "The user cannot see the pictures in this answer. Repeat their Markdown links, ![Image](…), in "
    "your reply to show them."
)


def contents(items: Sequence[Item], *, is_exported: bool) -> tuple[Content, list[str]]:
    """An answer in reading order, and what has to be said about its pictures.

    With `is_exported`, pictures are also kept as files, with links to them before each.
    """
    pictures = [item for item in items if isinstance(item, Picture)]
    drawn = iter(draw([(picture.data, picture.mime) for picture in pictures]))
    pieces: Content = []
    for item in items:
        if isinstance(item, Picture):
            pieces += _picture(item, next(drawn), is_exported=is_exported)
        else:
            pieces.append(TextContent(spelled_out(item.text)))
    notes = [SHOW_PICTURES] if is_exported and pictures else []
    if pictures and not can_draw():
        notes.append(NO_RENDERER)
    return _joined(pieces), notes


def _picture(
    picture: Picture, png: bytes | None, *, is_exported: bool
) -> Iterator[TextContent | ImageContent]:
    if png is None:
        yield TextContent(picture.label)
        return
    address = _exported(png) if is_exported else None
    if address is not None:
        yield TextContent(f"![Image]({address})")
    yield ImageContent(png, "image/png")


def _exported(png: bytes) -> str | None:
    """The address of a file with a picture, the same for the same picture; None if it fails."""
    name = hashlib.sha256(png).hexdigest()
    file = Path(data_directory()) / "images" / name[:3] / f"{name}.png"
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(file, png)
    except (OSError, PaddockError):
        return None
    return file.as_uri()


def _joined(pieces: Content) -> Content:
    """The same with neighbouring texts made one."""
    joined: Content = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if isinstance(piece, TextContent) and isinstance(last, TextContent):
            joined[-1] = TextContent(last.text + piece.text)
        elif not isinstance(piece, TextContent) or piece.text:
            joined.append(piece)
    return joined


def reminder(lines: Sequence[str]) -> TextContent:
    """What the model is told and the user need not read."""
    return TextContent("\n".join(["\n\n<system-reminder>", *lines, "</system-reminder>"]))
