r"""Characters that only the front end can show, in characters that everybody can.

Operators become what one types for them, other private characters their long names.
"""

from __future__ import annotations

import re

from paddock.wolfram.letters import get_character, escape_private_characters

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
PLAIN_TEXT_BY_CHARACTER = {found: typed for name, typed in _PLAIN_TEXT_BY_NAME.items() if (found := get_character(name))}
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
    return escape_private_characters(_INLINE_CHARACTERS.sub(lambda found: _INLINE_REPLACEMENTS[found[0]], text))
