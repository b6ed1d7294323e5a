r"""Boxes that are written in a line of text: `\(x\^2\)`, and `\!\(\*…\)` within a string.

Old notebooks keep code so, and messages still keep what they quote so.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.notebooks.signs import PLAIN_TEXT_BY_CHARACTER
from paddock.wolfram.parser import parse
from paddock.wolfram.text import parse_symbol_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression

_BOX_START = "\\!\\("
_BOX_EDGE = re.compile(r"\\([()])")
_BOX_OPERATOR = re.compile(r"\\([\^_/@% !*&`+()])")
_OPERATOR_TEXT = {"^": "^", "_": "_", "/": "/", "@": "Sqrt@", " ": " ", "(": "(", ")": ")", "%": "^"}


def box_syntax_to_code(text: str) -> str:
    r"""Code in the syntax of boxes as one types it: `\(x\^2\)` is `x^2`."""
    text = text.removeprefix("\\!")
    if text.startswith("\\(") and text.endswith("\\)") and _find_box_end(text, 0) == len(text):
        text = text[2:-2]
    text = parse_symbol_name(_BOX_OPERATOR.sub(lambda found: _OPERATOR_TEXT.get(found[1], ""), text))
    return "".join(PLAIN_TEXT_BY_CHARACTER.get(letter, letter) for letter in text)


def replace_box_syntax(text: str, write: Callable[[Expression], str]) -> str:
    """Text in which pieces in the syntax of boxes are what `write` says of their boxes."""
    pieces, at = [], 0
    while (begin := text.find(_BOX_START, at)) >= 0:
        end = _find_box_end(text, begin + 2)
        if end is None:
            break
        pieces += [text[at:begin], _convert_piece(text[begin + 2 : end], write)]
        at = end
    return "".join([*pieces, text[at:]])


def _convert_piece(piece: str, write: Callable[[Expression], str]) -> str:
    inner = piece[2:-2]
    if not inner.startswith("\\*"):
        return box_syntax_to_code(piece)
    code = inner[2:]
    if "\\(" in code:
        code = code.replace('"', '\\"').replace("\\(", '"').replace("\\)", '"')
    source = parse(code)
    if source.problems or len(source.expressions) != 1:
        return box_syntax_to_code(piece)
    return write(source.expressions[0])


def _find_box_end(text: str, start: int) -> int | None:
    depth = 0
    for edge in _BOX_EDGE.finditer(text, start):
        depth += 1 if edge[1] == "(" else -1
        if depth == 0:
            return edge.end()
    return None
