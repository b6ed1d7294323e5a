"""Notes that a tool keeps and a resource shows, until the server ends; subscribers are told."""

from __future__ import annotations

from collections import deque
from typing import Annotated

from msgspec import Meta

from paddock.authoring.context import Context  # noqa: TC001 - read from the hints of handlers
from paddock.authoring.resource import Resource
from paddock.authoring.tool import Tool
from paddock.protocol.model.content import ResourceLink, TextContent

MAX_NOTES = 50
NOTES_URI = "demo://notes"

_notes: deque[str] = deque(maxlen=MAX_NOTES)


def keep_note(
    text: Annotated[str, Meta(min_length=1, max_length=500)], ctx: Context
) -> list[TextContent | ResourceLink]:
    """Keep a note until the server ends.

    Args:
        text: The note.
    """
    _notes.append(text)
    ctx.server.resource_updated(NOTES_URI)
    return [TextContent(f"Kept, as number {len(_notes)}."), ResourceLink(NOTES_URI, "notes")]


def list_notes() -> str:
    """The notes that were kept, one to a line."""
    return "\n".join(f"- {note}" for note in _notes) or "No notes yet."


keep_note_tool = Tool(
    "keep_note",
    keep_note,
    title="Keep a note",
    annotations={"readOnlyHint": False, "destructiveHint": False, "openWorldHint": False},
    return_type=list[TextContent | ResourceLink],
)
notes_resource = Resource(NOTES_URI, list_notes, name="notes", title="Notes", mime_type="text/markdown")
