"""Text layout for a terminal: JSON, paragraphs, columns, and removal of control characters."""

from __future__ import annotations

import unicodedata
from textwrap import indent, wrap
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MAX_LINE_CHARACTERS = 100


def format_json(value: object) -> str:
    """Format a value as indented JSON, using `repr` for values that JSON cannot represent."""
    text = msgspec.json.encode(value, enc_hook=repr)
    return msgspec.json.format(text, indent=2).decode()


def replace_control_characters(text: str) -> str:
    """Replace control and bidirectional characters, except newline and tab, with U+FFFD.

    Text from servers and extensions is untrusted: escape sequences could rewrite the screen, and
    bidirectional overrides could disguise the text.
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


def align_columns(rows: Iterable[Sequence[str]], margin: int) -> str:
    """Format rows as lines of text with aligned columns, two spaces apart.

    Args:
        rows: The cells of each row. All rows have the same number of cells.
        margin: The indentation of the lines, in characters.
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
    """Return the first paragraph of a text as a single line."""
    return " ".join(str(text).strip().split("\n\n")[0].split()) if text else ""


def format_literal(value: object) -> str:
    """Format a value as JSON on one line."""
    return msgspec.json.encode(value).decode()
