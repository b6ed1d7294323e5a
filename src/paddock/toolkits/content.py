"""Conversion of evaluation output to MCP content: text, images and reminders for the model."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from paddock.directories import get_data_directory
from paddock.errors import PaddockError
from paddock.files import write_atomically
from paddock.kernels.svg_renderer import can_render_svg, render_images
from paddock.protocol.content import ImageContent, TextContent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paddock.kernels.kernel import OutputItem

ToolContent = list[TextContent | ImageContent]
JPEG_MIME_TYPE = "image/jpeg"
NO_RENDERER_NOTE = "An image is omitted: install resvg-py to see it (pip install resvg-py)."
SHOW_IMAGES_NOTE = (
    "The user cannot see the images in this result. Repeat their Markdown links, ![Image](…), in "
    "your reply to show them."
)


def build_content(
    items: Sequence[OutputItem], *, is_exported: bool
) -> tuple[ToolContent, list[str]]:
    """Convert output items to content blocks in the same order.

    JPEG images are passed on as they are. All other images are rendered as PNG, and an image that
    cannot be rendered is replaced by its label.

    Args:
        items: Text and images.
        is_exported: Whether to save images as files too. Each image is then preceded by a Markdown
            link to its file, which the model can repeat to show the image to the user.

    Returns:
        The content, and notes about its images for the model.
    """
    images = [item for item in items if not isinstance(item, str)]
    # All images are rendered in one call, because rendering runs in another process.
    rendered = iter(render_images([(image.data, image.mime) for image in images]))
    blocks: ToolContent = []
    for item in items:
        if isinstance(item, str):
            blocks.append(TextContent(item))
        elif item.mime == JPEG_MIME_TYPE:
            next(rendered)
            blocks += _build_image_content(item.data, JPEG_MIME_TYPE, is_exported=is_exported)
        elif (png := next(rendered)) is None:
            blocks.append(TextContent(item.label))
        else:
            blocks += _build_image_content(png, "image/png", is_exported=is_exported)
    notes = [SHOW_IMAGES_NOTE] if is_exported and images else []
    if any(image.mime.endswith("svg+xml") for image in images) and not can_render_svg():
        notes.append(NO_RENDERER_NOTE)
    return _merge_text(blocks), notes


def _build_image_content(
    data: bytes, mime: str, *, is_exported: bool
) -> Iterator[TextContent | ImageContent]:
    """Yield the blocks of one image.

    If `is_exported` is True and the image can be saved, a Markdown link to its file comes first.
    """
    uri = _export_image(data, mime.rpartition("/")[2]) if is_exported else None
    if uri is not None:
        yield TextContent(f"![Image]({uri})")
    yield ImageContent(data, mime)


def _export_image(data: bytes, suffix: str) -> str | None:
    """Save an image in the data directory and return the URI of the file, or None on failure.

    The file is named after the hash of its data, so an image that occurs again is stored only once.
    """
    name = hashlib.sha256(data).hexdigest()
    file = Path(get_data_directory()) / "images" / name[:3] / f"{name}.{suffix}"
    try:
        if not file.exists():
            file.parent.mkdir(parents=True, exist_ok=True)
            write_atomically(file, data)
    except (OSError, PaddockError):
        return None
    return file.as_uri()


def _merge_text(blocks: ToolContent) -> ToolContent:
    """Join adjacent text blocks and drop empty ones."""
    merged: ToolContent = []
    for block in blocks:
        previous = merged[-1] if merged else None
        if isinstance(block, TextContent) and isinstance(previous, TextContent):
            merged[-1] = TextContent(previous.text + block.text)
        elif not isinstance(block, TextContent) or block.text:
            merged.append(block)
    return merged


def create_reminder(lines: Sequence[str]) -> TextContent:
    """Return a block of text for the model that clients need not show to the user."""
    return TextContent("\n".join(["\n\n<system-reminder>", *lines, "</system-reminder>"]))
