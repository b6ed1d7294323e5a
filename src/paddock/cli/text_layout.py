"""Text for a terminal: messages, results and descriptions of a server. Prints nothing itself."""

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
"""Characters of a string that are shown in the exchange."""
MAX_LIST_ITEMS = 12
"""Members of an array that are shown in the exchange."""


def format_json(value: object) -> str:
    """JSON for people; what JSON has no form for, such as a function, is shown as text."""
    text = msgspec.json.encode(value, enc_hook=repr)
    return msgspec.json.format(text, indent=2).decode()


def format_frame(data: bytes, *, is_ours: bool) -> str:
    """One message of an exchange, shortened, with an arrow for its direction."""
    arrow = "→" if is_ours else "←"
    try:
        message = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return f"{arrow} {_shorten_value(data.decode(errors='replace'))}"
    return f"{arrow} {_format_nested_json(_shorten_value(message), 2)}"


def _format_nested_json(value: object, margin: int) -> str:
    """JSON in which everything that fits on a line stands on one."""
    line = msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
    if len(line) <= MAX_LINE_CHARACTERS - margin or not isinstance(value, dict | list):
        return line
    inner = " " * (margin + 2)
    if isinstance(value, dict):
        parts = [
            f"{_format_literal(key)}: {_format_nested_json(item, margin + 2)}"
            for key, item in value.items()
        ]
        brackets = "{}"
    else:
        parts = [_format_nested_json(item, margin + 2) for item in value]
        brackets = "[]"
    body = ",".join(f"\n{inner}{part}" for part in parts)
    return f"{brackets[0]}{body}\n{' ' * margin}{brackets[1]}"


def _shorten_value(value: object) -> object:
    if isinstance(value, str) and len(value) > MAX_TEXT_CHARACTERS:
        return (
            f"{value[:MAX_TEXT_CHARACTERS]}… ({len(value) - MAX_TEXT_CHARACTERS} more characters)"
        )
    if isinstance(value, list):
        rest = len(value) - MAX_LIST_ITEMS
        shown = [_shorten_value(item) for item in value[:MAX_LIST_ITEMS]]
        return [*shown, f"… ({rest} more)"] if rest > 0 else shown
    if isinstance(value, dict):
        return {key: _shorten_value(item) for key, item in value.items()}
    return value


def replace_control_characters(text: str) -> str:
    """Text without characters that a terminal obeys or hides; they may be a stranger's."""
    return "".join(
        "\ufffd" if letter not in "\n\t" and _is_control_character(letter) else letter
        for letter in text
    )


def _is_control_character(letter: str) -> bool:
    """Whether a terminal does something else with a character than to show it."""
    turns = ("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI")
    return (
        unicodedata.category(letter) in ("Cc", "Cs") or unicodedata.bidirectional(letter) in turns
    )


def wrap_paragraph(text: str, margin: int) -> str:
    """Text broken into lines; its own line breaks are kept."""
    lines = [wrap(line, MAX_LINE_CHARACTERS - margin) or [""] for line in text.strip().splitlines()]
    return indent("\n".join(line for group in lines for line in group), " " * margin)


def align_columns(rows: Iterable[tuple[str, ...]], margin: int) -> str:
    """Rows with aligned columns; the last column is as long as it likes."""
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
    """The first paragraph of a text, on one line."""
    return " ".join(str(text).strip().split("\n\n")[0].split()) if text else ""


def describe_schema_type(schema: object) -> str:
    """The type that a JSON Schema describes, in a few characters."""
    if not isinstance(schema, dict):
        return "any"
    if "enum" in schema and isinstance(schema["enum"], list):
        return " | ".join(_format_literal(value) for value in schema["enum"])
    if "const" in schema:
        return _format_literal(schema["const"])
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list):
            return " | ".join(dict.fromkeys(describe_schema_type(part) for part in schema[key]))
    if isinstance(schema.get("$ref"), str):
        return str(schema["$ref"]).rpartition("/")[2]
    kind = schema.get("type", "any")
    if isinstance(kind, list):
        return " | ".join(map(str, kind))
    if kind == "array" and "items" in schema:
        return f"array of {describe_schema_type(schema['items'])}"
    return str(kind)


def iterate_parameters(schema: Mapping[str, object]) -> Iterator[tuple[str, str, str, str]]:
    """Name, type, need and description of each parameter in an input schema."""
    properties, required = schema.get("properties"), schema.get("required")
    if not isinstance(properties, dict):
        return
    needed = required if isinstance(required, list) else []
    for name, described in properties.items():
        fields = described if isinstance(described, dict) else {}
        need = "required" if name in needed else "optional"
        if "default" in fields:
            need = f"default {_format_literal(fields['default'])}"
        yield (
            str(name),
            describe_schema_type(described),
            need,
            to_single_line(fields.get("description")),
        )


def format_content(piece: AnyContent) -> str:
    """A piece of a result: text as it is, of everything else what it is."""
    match piece:
        case TextContent():
            return piece.text
        case ImageContent():
            return f"[image, {piece.mime_type}, {len(piece.data)} bytes]"
        case AudioContent():
            return f"[audio, {piece.mime_type}, {len(piece.data)} bytes]"
        case ResourceLink():
            return f"[link to {piece.uri}: {piece.name}]"
        case EmbeddedResource():
            return _format_embedded_resource(piece.resource)
        case _:
            return format_json(piece)


def _format_embedded_resource(resource: object) -> str:
    match resource:
        case TextResourceContents():
            return f"[resource {resource.uri}]\n{resource.text}"
        case BlobResourceContents():
            kind = resource.mime_type or "unknown type"
            return f"[resource {resource.uri}, {kind}, {len(resource.blob)} bytes]"
        case _:
            return format_json(resource)


def _format_literal(value: object) -> str:
    return msgspec.json.encode(value).decode()
