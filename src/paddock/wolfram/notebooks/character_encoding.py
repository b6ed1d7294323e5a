r"""Text in the characters that a notebook file may hold: ASCII, and escapes for all others.

An alpha is written `\[Alpha]`, what has no name `\:4e2d`, and beyond the first plane `\|01f600`.

Characters that only the front end can show, in characters that everybody can.

Operators become what one types for them, other private characters their long names.
"""

from __future__ import annotations

import re

from paddock.wolfram.expressions import Atom
from paddock.wolfram.named_characters import (
    escape_private_characters,
    get_character,
    get_character_name,
)

_OTHER = re.compile(r"[^\x20-\x7e]")
_FOREIGN_CHARACTER = re.compile(r"[^\x00-\x7e]")
_QUOTED_CHARACTER = re.compile(r'[\\"]|[^\x20-\x7e]')
_SIMPLE_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_MAX_BMP_CODE = 0xFFFF
_MAX_BYTE = 0xFF


def ascii_string(value: str) -> Atom:
    """A string as an expression that is written in ASCII."""
    if _QUOTED_CHARACTER.search(value) is not None:
        value = _QUOTED_CHARACTER.sub(_escape_match, value)
    return Atom("string", f'"{value}"')


def escape_to_ascii(text: str) -> str:
    """A piece of source text with its foreign characters escaped; line ends stay."""
    return text if text.isascii() else _FOREIGN_CHARACTER.sub(_escape_match, text)


def _escape_match(found: re.Match[str]) -> str:
    return _SIMPLE_ESCAPES.get(found[0]) or _escape_character(found[0])


def _escape_character(character: str) -> str:
    name = get_character_name(character)
    if name is not None:
        return f"\\[{name}]"
    code = ord(character)
    if code > _MAX_BMP_CODE:
        return f"\\|{code:06x}"
    return f"\\:{code:04x}" if code > _MAX_BYTE else f"\\.{code:02x}"


_PLAIN_TEXT_BY_NAME = {
    "Rule": "->",
    "RuleDelayed": ":>",
    "Equal": "==",
    "LongEqual": "==",
    "Function": "|->",
    "TwoWayRule": "<->",
    "UndirectedEdge": "<->",
    "LeftAssociation": "<|",
    "RightAssociation": "|>",
    "LeftDoubleBracket": "[[",
    "RightDoubleBracket": "]]",
    "IndentingNewLine": "\n",
    "NoBreak": "",
    "InvisibleSpace": "",
    "InvisibleComma": ",",
    "InvisibleApplication": "@",
    "InvisibleTimes": " ",
    "ImaginaryI": "I",
    "ImaginaryJ": "I",
    "ExponentialE": "E",
    "Null": "",
    "AutoSpace": "",
    "AlignmentMarker": "",
    "SpanFromLeft": "",
    "SpanFromAbove": "",
    "SpanFromBoth": "",
}
PLAIN_TEXT_BY_CHARACTER = {
    found: typed for name, typed in _PLAIN_TEXT_BY_NAME.items() if (found := get_character(name))
}
"""What one types for a token that is one of these characters and nothing else."""
_INLINE_REPLACEMENTS = {
    found: typed
    for found, typed in PLAIN_TEXT_BY_CHARACTER.items()
    if typed.strip() == "" or get_character("IndentingNewLine") == found
}
_INLINE_CHARACTERS = re.compile(f"[{''.join(_INLINE_REPLACEMENTS)}]")


def to_plain_characters(text: str) -> str:
    """A text with the long names of characters that have no meaning elsewhere."""
    if text.isascii():
        return text
    return escape_private_characters(
        _INLINE_CHARACTERS.sub(lambda found: _INLINE_REPLACEMENTS[found[0]], text)
    )
