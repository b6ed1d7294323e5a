r"""Boxes that are written in a line of text: `\(x\^2\)`, and `\!\(\*…\)` within a string.

Old notebooks keep code so, and messages still keep what they quote so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.notebooks.signs import PLAIN_SIGNS
from paddock.wolfram.parser import parse
from paddock.wolfram.text import symbol_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression

_BEGIN = "\\!\\("
_EDGE = re.compile(r"\\([()])")
_TYPED = re.compile(r"\\([\^_/@% !*&`+()])")
_SIGNS = {"^": "^", "_": "_", "/": "/", "@": "Sqrt@", " ": " ", "(": "(", ")": ")", "%": "^"}


def plain_syntax(text: str) -> str:
    r"""Code in the syntax of boxes as one types it: `\(x\^2\)` is `x^2`."""
    text = text.removeprefix("\\!")
    if text.startswith("\\(") and text.endswith("\\)") and _end(text, 0) == len(text):
        text = text[2:-2]
    text = symbol_name(_TYPED.sub(lambda found: _SIGNS.get(found[1], ""), text))
    return "".join(PLAIN_SIGNS.get(letter, letter) for letter in text)


def without_box_syntax(text: str, write: Callable[[Expression], str]) -> str:
    """Text in which pieces in the syntax of boxes are what `write` says of their boxes."""
    pieces, at = [], 0
    while (begin := text.find(_BEGIN, at)) >= 0:
        end = _end(text, begin + 2)
        if end is None:
            break
        pieces += [text[at:begin], _said(text[begin + 2 : end], write)]
        at = end
    return "".join([*pieces, text[at:]])


def _said(piece: str, write: Callable[[Expression], str]) -> str:
    inner = piece[2:-2]
    if not inner.startswith("\\*"):
        return plain_syntax(piece)
    code = inner[2:]
    if "\\(" in code:
        code = code.replace('"', '\\"').replace("\\(", '"').replace("\\)", '"')
    source = parse(code)
    if source.problems or len(source.expressions) != 1:
        return plain_syntax(piece)
    return write(source.expressions[0])


def _end(text: str, start: int) -> int | None:
    depth = 0
    for edge in _EDGE.finditer(text, start):
        depth += 1 if edge[1] == "(" else -1
        if depth == 0:
            return edge.end()
    return None
