"""Formatting of protocol messages and result content as text, for `paddock call`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from paddock.cli.text_layout import MAX_LINE_CHARACTERS, format_json, format_literal
from paddock.protocol.content import (
    AudioContent,
    BlobResourceContents,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
    TextResourceContents,
)

if TYPE_CHECKING:
    from paddock.client.results import AnyContent

MAX_TEXT_CHARACTERS = 300
"""Characters of a string that `format_frame` shows."""
MAX_LIST_ITEMS = 12
"""Items of an array that `format_frame` shows."""


def format_frame(frame: bytes, *, is_from_client: bool) -> str:
    """Format a protocol message for a log of the traffic between a client and a server.

    Long strings and arrays are shortened. An arrow shows the message's direction: `→` to the server
    and `←` to the client.
    """
    arrow = "→" if is_from_client else "←"
    try:
        message = msgspec.json.decode(frame)
    # A broken server can send anything, including data that is nested too deeply.
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return f"{arrow} {_shorten_value(frame.decode(errors='replace'))}"
    return f"{arrow} {_format_nested_json(_shorten_value(message), 2)}"


def _format_nested_json(value: object, margin: int) -> str:
    """Format a JSON value on a single line if it fits, or with one line per member otherwise.

    Args:
        value: The decoded JSON value.
        margin: The indentation of the surrounding lines, in characters.
    """
    single_line = msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
    if len(single_line) <= MAX_LINE_CHARACTERS - margin or not isinstance(value, dict | list):
        return single_line
    indentation = " " * (margin + 2)
    if isinstance(value, dict):
        members = [
            f"{format_literal(key)}: {_format_nested_json(item, margin + 2)}"
            for key, item in value.items()
        ]
        brackets = "{}"
    else:
        members = [_format_nested_json(item, margin + 2) for item in value]
        brackets = "[]"
    body = ",".join(f"\n{indentation}{member}" for member in members)
    return f"{brackets[0]}{body}\n{' ' * margin}{brackets[1]}"


def _shorten_value(value: object) -> object:
    """Return a JSON value in which long strings and arrays are truncated.

    A note such as `… (12 more)` replaces the omitted items or characters.
    """
    if isinstance(value, str) and len(value) > MAX_TEXT_CHARACTERS:
        return (
            f"{value[:MAX_TEXT_CHARACTERS]}… ({len(value) - MAX_TEXT_CHARACTERS} more characters)"
        )
    if isinstance(value, list):
        omitted_count = len(value) - MAX_LIST_ITEMS
        shown_items = [_shorten_value(item) for item in value[:MAX_LIST_ITEMS]]
        return [*shown_items, f"… ({omitted_count} more)"] if omitted_count > 0 else shown_items
    if isinstance(value, dict):
        return {key: _shorten_value(item) for key, item in value.items()}
    return value


def format_content(content: AnyContent) -> str:
    """Format a content block of a tool result for a terminal.

    Text is returned unchanged. Other types become a label such as `[image, image/png, 120 bytes]`.
    """
    match content:
        case TextContent():
            return content.text
        case ImageContent():
            return f"[image, {content.mime_type}, {len(content.data)} bytes]"
        case AudioContent():
            return f"[audio, {content.mime_type}, {len(content.data)} bytes]"
        case ResourceLink():
            return f"[link to {content.uri}: {content.name}]"
        case EmbeddedResource():
            return _format_embedded_resource(content.resource)
        case _:
            return format_json(content)


def _format_embedded_resource(resource: object) -> str:
    """Format a resource in a result as a label with its URI, followed by its text, if any."""
    match resource:
        case TextResourceContents():
            return f"[resource {resource.uri}]\n{resource.text}"
        case BlobResourceContents():
            mime_type = resource.mime_type or "unknown type"
            return f"[resource {resource.uri}, {mime_type}, {len(resource.blob)} bytes]"
        case _:
            return format_json(resource)
