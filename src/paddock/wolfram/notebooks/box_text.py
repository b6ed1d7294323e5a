r"""Conversion of boxes to text, and linear box syntax in strings.

`boxes_to_text` walks the boxes without recursion; `box_forms` defines the text of each kind of box.
Old notebooks and message texts contain linear box syntax: `\(x\^2\)`, or `\!\(\*...\)` within a
string.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, get_head_name
from paddock.wolfram.literals import parse_string, parse_symbol_name
from paddock.wolfram.notebooks.box_forms import (
    GRAPHICS_HEADS,
    BoxTextForm,
    format_box,
    get_reversed_row,
)
from paddock.wolfram.notebooks.character_encoding import (
    PLAIN_TEXT_BY_CHARACTER,
    to_plain_characters,
)
from paddock.wolfram.parser import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression, Node


_BOX_START = "\\!\\("
_BOX_EDGE = re.compile(r"\\([()])")
_BOX_OPERATOR = re.compile(r"\\([\^_/@% !*&`+()])")
_OPERATOR_TEXT = {
    "^": "^",
    "_": "_",
    "/": "/",
    "@": "Sqrt@",
    " ": " ",
    "(": "(",
    ")": ")",
    "%": "^",
}
_BRACKET_DEPTH_CHANGES = {"[": 1, "{": 1, "(": 1, "]": -1, "}": -1, ")": -1}
_INDENTING_NEWLINE, _INDENT = '"\\[IndentingNewLine]"', "  "
_MACHINE_NUMBER = re.compile(r"[\d.]+`")


def box_syntax_to_code(text: str) -> str:
    r"""Convert linear box syntax to code: `\(x\^2\)` becomes `x^2`."""
    text = text.removeprefix("\\!")
    if text.startswith("\\(") and text.endswith("\\)") and _find_box_end(text, 0) == len(text):
        text = text[2:-2]
    text = parse_symbol_name(
        _BOX_OPERATOR.sub(lambda match: _OPERATOR_TEXT.get(match[1], ""), text)
    )
    return "".join(PLAIN_TEXT_BY_CHARACTER.get(letter, letter) for letter in text)


def replace_box_syntax(text: str, write: Callable[[Expression], str]) -> str:
    """Replace box syntax in a text by the results of `write` for its boxes."""
    pieces, position = [], 0
    while (start := text.find(_BOX_START, position)) >= 0:
        end = _find_box_end(text, start + 2)
        if end is None:
            break
        pieces += [text[position:start], _convert_piece(text[start + 2 : end], write)]
        position = end
    return "".join([*pieces, text[position:]])


def _convert_piece(piece: str, write: Callable[[Expression], str]) -> str:
    """Convert one piece of box syntax. A piece that does not parse becomes code."""
    inner = piece[2:-2]
    if not inner.startswith("\\*"):
        return box_syntax_to_code(piece)
    code = inner[2:]
    # Nested box syntax is quoted, so that its boxes parse as strings.
    if "\\(" in code:
        code = code.replace('"', '\\"').replace("\\(", '"').replace("\\)", '"')
    source = parse(code)
    if source.problems or len(source.expressions) != 1:
        return box_syntax_to_code(piece)
    return write(source.expressions[0])


def _find_box_end(text: str, start: int) -> int | None:
    """Return the end of the box syntax at `start`, which may be nested."""
    depth = 0
    for edge in _BOX_EDGE.finditer(text, start):
        depth += 1 if edge[1] == "(" else -1
        if depth == 0:
            return edge.end()
    return None


def boxes_to_text(
    expression: Expression,
    *,
    form: BoxTextForm = "input",
    limit: int | None = None,
    picture: Callable[[Node], str] | None = None,
) -> str:
    """Convert boxes to text.

    Boxes are processed with a stack and not by recursion. Each formatter returns text and inner
    boxes, which are pushed in reverse order.

    Args:
        expression: The boxes.
        form: "input" returns code with the same meaning. "output" also omits machine-precision
            marks. "text" is for readers: strings have no quotes, and displayed forms replace
            the expressions they represent.
        limit: Text beyond this number of characters may be omitted.
        picture: Returns the placeholder of a graphics box.
    """
    pieces: list[str] = []
    pending: list[str | Expression] = [expression]
    previous_token, size, depth = "", 0, 0
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            pieces.append(item)
            previous_token = ""
        elif isinstance(item, Atom):
            text = _format_token(item, form)
            # Boxes separate tokens that would run together as text: `a` and `b` in a product.
            if previous_token and text and _would_merge(previous_token, text):
                pieces.append(" ")
            if text in _BRACKET_DEPTH_CHANGES:
                depth += _BRACKET_DEPTH_CHANGES[text]
            elif text == "\n" and item.text == _INDENTING_NEWLINE and form != "text":
                text += _INDENT * depth
            pieces.append(text)
            previous_token = text
            size += len(text)
            # Outputs can have megabytes of boxes of which only the beginning is shown.
            if limit is not None and size > limit:
                break
        else:
            name = get_head_name(item)
            if name == "RowBox":
                pending += get_reversed_row(item)
            elif name in GRAPHICS_HEADS and picture is not None:
                pending.append(picture(item))
            else:
                pending += reversed(format_box(item, form))
    return "".join(pieces)


def _would_merge(previous_token: str, text: str) -> bool:
    """Return whether two adjacent tokens would read as one token.

    A number before a name does not merge: `2x` reads as a product.
    """
    last, first = previous_token[-1], text[0]
    if not (first.isalnum() and last.isalnum()):
        return False
    return last.isalpha() or first.isdigit() or not previous_token.lstrip(".")[0].isdigit()


def _format_token(atom: Atom, form: BoxTextForm) -> str:
    """Return the text of a token. Plain ASCII tokens, which are the most frequent, return early."""
    text = atom.text
    if atom.kind != "string":
        return box_syntax_to_code(text) if atom.kind == "boxes" else text
    text = text[1:-1] if "\\" not in text else parse_string(text)
    if text.isascii() and text[:1] != '"' and text[-1:] != "`":
        return text
    return _format_special_token(text, form)


def _format_special_token(text: str, form: BoxTextForm) -> str:
    """Format a token that is a string, has a precision mark, or is not ASCII."""
    if text[:1] == '"' and form == "text":
        text = parse_string(text) if text[-1:] == '"' and len(text) > 1 else text
    if form == "output" and _MACHINE_NUMBER.fullmatch(text):
        return text[:-1]
    plain_text = PLAIN_TEXT_BY_CHARACTER.get(text)
    return plain_text if plain_text is not None else to_plain_characters(text)
