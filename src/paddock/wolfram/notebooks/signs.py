r"""Characters that only the front end can show, in characters that everybody can.

Operators become what one types for them, other private characters their long names.
"""

from __future__ import annotations

import re

from paddock.wolfram.letters import character, name_of

_PRIVATE = re.compile("[\ue000-\uf8ff\u2060]")
_TYPED = {
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
PLAIN_SIGNS = {found: typed for name, typed in _TYPED.items() if (found := character(name))}
"""What one types for a token that is one of these characters and nothing else."""
_INSIDE = {
    found: typed
    for found, typed in PLAIN_SIGNS.items()
    if typed.strip() == "" or character("IndentingNewLine") == found
}


def in_plain_characters(text: str) -> str:
    """A text with the long names of characters that have no meaning elsewhere."""
    return text if text.isascii() else _PRIVATE.sub(_long_name, text)


def _long_name(found: re.Match[str]) -> str:
    letter = found[0]
    if letter in _INSIDE:
        return _INSIDE[letter]
    name = name_of(letter)
    return f"\\[{name}]" if name else f"\\:{ord(letter):04x}"
