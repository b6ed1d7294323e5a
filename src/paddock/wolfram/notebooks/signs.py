r"""Characters that only the front end can show, in characters that everybody can.

Operators become what one types for them, other private characters their long names.
"""

from __future__ import annotations

import re

from paddock.wolfram.letters import character, spelled_out

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
_SPACES = re.compile(f"[{''.join(_INSIDE)}]")


def in_plain_characters(text: str) -> str:
    """A text with the long names of characters that have no meaning elsewhere."""
    if text.isascii():
        return text
    return spelled_out(_SPACES.sub(lambda found: _INSIDE[found[0]], text))
