"""What comes of code as the protocol carries it: text, pictures, what the model is told besides."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from paddock.directories import get_data_directory
from paddock.errors import PaddockError
from paddock.files import write_atomically
from paddock.kernels.svg_renderer import can_render_svg, render_images
from paddock.protocol.content import ImageContent, TextContent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

ToolContent = list[TextContent | ImageContent]
JPEG_MIME_TYPE = "image/jpeg"
NO_RENDERER_NOTE = "A picture is left out: install resvg-py to see it (pip install resvg-py)."
SHOW_IMAGES_NOTE = (
    "The user cannot see the pictures in this answer. Repeat their Markdown links, ![Image](…), in "
    "your reply to show them."
)


class DisplayImage(Protocol):
    """A picture, and the text that takes its place for those who cannot see it."""

    @property
    def data(self) -> bytes:
        """Its content."""
        ...

    @property
    def mime(self) -> str:
        """What that is."""
        ...

    @property
    def label(self) -> str:
        """What stands there without it."""
        ...


def build_content(
    items: Sequence[str | DisplayImage], *, is_exported: bool
) -> tuple[ToolContent, list[str]]:
    """An answer in reading order, and what has to be said about its pictures.

    With `is_exported`, pictures are also kept as files, with links to them before each.
    """
    pictures = [item for item in items if not isinstance(item, str)]
    drawn = iter(render_images([(picture.data, picture.mime) for picture in pictures]))
    pieces: ToolContent = []
    for item in items:
        if isinstance(item, str):
            pieces.append(TextContent(item))
        elif item.mime == JPEG_MIME_TYPE:
            next(drawn)
            pieces += _build_image_content(item.data, JPEG_MIME_TYPE, is_exported=is_exported)
        elif (png := next(drawn)) is None:
            pieces.append(TextContent(item.label))
        else:
            pieces += _build_image_content(png, "image/png", is_exported=is_exported)
    notes = [SHOW_IMAGES_NOTE] if is_exported and pictures else []
    if (
        pictures
        and not can_render_svg()
        and any(item.mime.endswith("svg+xml") for item in pictures)
    ):
        notes.append(NO_RENDERER_NOTE)
    return _merge_text(pieces), notes


def _build_image_content(
    data: bytes, mime: str, *, is_exported: bool
) -> Iterator[TextContent | ImageContent]:
    address = _export_image(data, mime.rpartition("/")[2]) if is_exported else None
    if address is not None:
        yield TextContent(f"![Image]({address})")
    yield ImageContent(data, mime)


def _export_image(data: bytes, ending: str) -> str | None:
    """The address of a file with a picture, the same for the same picture; None if it fails."""
    name = hashlib.sha256(data).hexdigest()
    file = Path(get_data_directory()) / "images" / name[:3] / f"{name}.{ending}"
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(file, data)
    except (OSError, PaddockError):
        return None
    return file.as_uri()


def _merge_text(pieces: ToolContent) -> ToolContent:
    """The same with neighbouring texts made one."""
    joined: ToolContent = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if isinstance(piece, TextContent) and isinstance(last, TextContent):
            joined[-1] = TextContent(last.text + piece.text)
        elif not isinstance(piece, TextContent) or piece.text:
            joined.append(piece)
    return joined


def create_reminder(lines: Sequence[str]) -> TextContent:
    """What the model is told and the user need not read."""
    return TextContent("\n".join(["\n\n<system-reminder>", *lines, "</system-reminder>"]))
