"""Formatting of JSON, messages, tool results and schemas as text for a terminal."""

from __future__ import annotations

import unicodedata
from textwrap import indent, wrap
from typing import TYPE_CHECKING

import msgspec

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
    from collections.abc import Iterable, Iterator, Mapping

    from paddock.client.results import AnyContent

Json = dict[str, object]

MAX_LINE_CHARACTERS = 100
MAX_TEXT_CHARACTERS = 300
"""Characters of a string that `format_frame` shows."""
MAX_LIST_ITEMS = 12
"""Items of an array that `format_frame` shows."""


def format_json(value: object) -> str:
    """Format a value as indented JSON. Values without a JSON form become their `repr`."""
    text = msgspec.json.encode(value, enc_hook=repr)
    return msgspec.json.format(text, indent=2).decode()


def format_frame(data: bytes, *, is_ours: bool) -> str:
    """Format one protocol message: shortened, with an arrow for its direction."""
    arrow = "→" if is_ours else "←"
    try:
        message = msgspec.json.decode(data)
    # A broken server can send anything, also data that is nested too deeply.
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return f"{arrow} {_shorten_value(data.decode(errors='replace'))}"
    return f"{arrow} {_format_nested_json(_shorten_value(message), 2)}"


def _format_nested_json(value: object, margin: int) -> str:
    """Format JSON with objects and arrays on one line if they fit, and else on several.

    `margin` is the indentation of the surrounding lines.
    """
    line = msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
    if len(line) <= MAX_LINE_CHARACTERS - margin or not isinstance(value, dict | list):
        return line
    indentation = " " * (margin + 2)
    if isinstance(value, dict):
        members = [
            f"{_format_literal(key)}: {_format_nested_json(item, margin + 2)}"
            for key, item in value.items()
        ]
        brackets = "{}"
    else:
        members = [_format_nested_json(item, margin + 2) for item in value]
        brackets = "[]"
    body = ",".join(f"\n{indentation}{part}" for part in members)
    return f"{brackets[0]}{body}\n{' ' * margin}{brackets[1]}"


def _shorten_value(value: object) -> object:
    """Return JSON with long strings and arrays cut off, and a note on what is missing."""
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


def replace_control_characters(text: str) -> str:
    """Replace control and bidirectional characters, except newline and tab, by U+FFFD.

    Text of servers and extensions is untrusted: escape sequences could rewrite the screen, and
    bidirectional overrides could disguise what is shown.
    """
    return "".join(
        "\ufffd" if character not in "\n\t" and _is_control_character(character) else character
        for character in text
    )


def _is_control_character(character: str) -> bool:
    """Return whether a character controls the terminal or the direction of text."""
    bidi_controls = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    return (
        unicodedata.category(character) in ("Cc", "Cs")
        or unicodedata.bidirectional(character) in bidi_controls
    )


def wrap_paragraph(text: str, margin: int) -> str:
    """Wrap and indent text, keeping its line breaks."""
    lines = [wrap(line, MAX_LINE_CHARACTERS - margin) or [""] for line in text.strip().splitlines()]
    return indent(
        "\n".join(line for paragraph_lines in lines for line in paragraph_lines), " " * margin
    )


def align_columns(rows: Iterable[tuple[str, ...]], margin: int) -> str:
    """Align the columns of rows and indent them.

    The last column is not limited in width.
    """
    table = list(rows)
    if not table:
        return ""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in table
    )
    return indent("\n".join(lines), " " * margin)


def to_single_line(text: object) -> str:
    """Return the first paragraph of a text on one line."""
    return " ".join(str(text).strip().split("\n\n")[0].split()) if text else ""


def describe_schema_type(schema: object) -> str:
    """Return a short description of the type in a JSON Schema, such as `array of string`.

    Keywords other than those for the type are ignored.
    """
    if not isinstance(schema, dict):
        return "any"
    if "enum" in schema and isinstance(schema["enum"], list):
        return " | ".join(_format_literal(value) for value in schema["enum"])
    if "const" in schema:
        return _format_literal(schema["const"])
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return " | ".join(dict.fromkeys(describe_schema_type(option) for option in schema[key]))
    if isinstance(schema.get("$ref"), str):
        return str(schema["$ref"]).rpartition("/")[2]
    declared_type = schema.get("type", "any")
    if isinstance(declared_type, list):
        return " | ".join(map(str, declared_type))
    if declared_type == "array" and "items" in schema:
        return f"array of {describe_schema_type(schema['items'])}"
    return str(declared_type)


def iterate_parameters(schema: Mapping[str, object]) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, type, `required`/`optional`/default and description of each parameter."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict):
        return
    required_names = required if isinstance(required, list) else []
    for name, parameter_schema in properties.items():
        fields = parameter_schema if isinstance(parameter_schema, dict) else {}
        requirement = "required" if name in required_names else "optional"
        if "default" in fields:
            requirement = f"default {_format_literal(fields['default'])}"
        yield (
            str(name),
            describe_schema_type(parameter_schema),
            requirement,
            to_single_line(fields.get("description")),
        )


def format_content(content: AnyContent) -> str:
    """Format one content block of a result: text unchanged, other types by a short label."""
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
    match resource:
        case TextResourceContents():
            return f"[resource {resource.uri}]\n{resource.text}"
        case BlobResourceContents():
            mime_type = resource.mime_type or "unknown type"
            return f"[resource {resource.uri}, {mime_type}, {len(resource.blob)} bytes]"
        case _:
            return format_json(resource)


def _format_literal(value: object) -> str:
    return msgspec.json.encode(value).decode()
