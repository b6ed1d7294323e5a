r"""Character conversions: ASCII escapes for notebook files, plain characters for text.

Notebook files are ASCII: an alpha is `\[Alpha]`, an unnamed character `\:4e2d`, and one beyond the
Basic Multilingual Plane `\|01f600`. In text for readers, operators become the characters that users
type. Other private-use characters become their names, because only the front end can display them.
"""

from __future__ import annotations

import re

from paddock.wolfram.expressions import Atom
from paddock.wolfram.named_characters import (
    escape_private_characters,
    get_character,
    get_character_name,
)

_FOREIGN_CHARACTER = re.compile(r"[^\x00-\x7e]")
_QUOTED_CHARACTER = re.compile(r'[\\"]|[^\x20-\x7e]')
_SIMPLE_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_MAX_BMP_CODE = 0xFFFF
_MAX_BYTE = 0xFF
_PLAIN_TEXT_BY_NAME = {
    "Rule": "->",
    "RuleDelayed": ":>",
    **dict.fromkeys(("Equal", "LongEqual"), "=="),
    "Function": "|->",
    **dict.fromkeys(("TwoWayRule", "UndirectedEdge"), "<->"),
    "LeftAssociation": "<|",
    "RightAssociation": "|>",
    "LeftDoubleBracket": "[[",
    "RightDoubleBracket": "]]",
    "IndentingNewLine": "\n",
    "InvisibleComma": ",",
    "InvisibleApplication": "@",
    "InvisibleTimes": " ",
    **dict.fromkeys(("ImaginaryI", "ImaginaryJ"), "I"),
    "ExponentialE": "E",
    **dict.fromkeys(("NoBreak", "InvisibleSpace", "Null", "AutoSpace", "AlignmentMarker"), ""),
    **dict.fromkeys(("SpanFromLeft", "SpanFromAbove", "SpanFromBoth"), ""),
}
PLAIN_TEXT_BY_CHARACTER = {
    character: plain_text
    for name, plain_text in _PLAIN_TEXT_BY_NAME.items()
    if (character := get_character(name))
}
"""The typed equivalent of a token that is a single special character."""
_INLINE_REPLACEMENTS = {
    character: plain_text
    for character, plain_text in PLAIN_TEXT_BY_CHARACTER.items()
    if plain_text.strip() == "" or get_character("IndentingNewLine") == character
}
_INLINE_CHARACTERS = re.compile(f"[{''.join(_INLINE_REPLACEMENTS)}]")


def ascii_string(value: str) -> Atom:
    """Return a string expression written in ASCII."""
    # Most strings need no escapes, and searching is faster than substituting.
    if _QUOTED_CHARACTER.search(value) is not None:
        value = _QUOTED_CHARACTER.sub(_escape_match, value)
    return Atom("string", f'"{value}"')


def escape_to_ascii(text: str) -> str:
    """Return source text with non-ASCII characters escaped. Line ends are unchanged."""
    return text if text.isascii() else _FOREIGN_CHARACTER.sub(_escape_match, text)


def _escape_match(match: re.Match[str]) -> str:
    return _SIMPLE_ESCAPES.get(match[0]) or _escape_character(match[0])


def _escape_character(character: str) -> str:
    r"""Return the ASCII escape of a character: its name or its hexadecimal code.

    For example, `\[Alpha]` is an escape by name and `\:4e2d` is one by code, for characters without
    a name.
    """
    name = get_character_name(character)
    if name is not None:
        return f"\\[{name}]"
    code = ord(character)
    if code > _MAX_BMP_CODE:
        return f"\\|{code:06x}"
    return f"\\:{code:04x}" if code > _MAX_BYTE else f"\\.{code:02x}"


def to_plain_characters(text: str) -> str:
    """Replace Wolfram font characters in a text with plain text or their names.

    Other programs cannot display these characters, which are in Unicode's private use area.
    """
    # Nearly all text is ASCII, which needs no substitution.
    if text.isascii():
        return text
    return escape_private_characters(
        _INLINE_CHARACTERS.sub(lambda match: _INLINE_REPLACEMENTS[match[0]], text)
    )
