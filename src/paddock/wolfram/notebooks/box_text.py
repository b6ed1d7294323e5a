r"""Boxes that are written in a line of text: `\(x\^2\)`, and `\!\(\*…\)` within a string.

Old notebooks keep code so, and messages still keep what they quote so.

Boxes as one line of text after the other: what a reader of plain text needs to see of them.

The walk is here and never uses the interpreter's stack; what becomes of each kind of box is in
`linear_forms`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom
from paddock.wolfram.literals import parse_string, parse_symbol_name
from paddock.wolfram.notebooks.box_forms import (
    BOX_FORMATTERS,
    BoxTextForm,
    format_unknown_box,
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


def box_syntax_to_code(text: str) -> str:
    r"""Code in the syntax of boxes as one types it: `\(x\^2\)` is `x^2`."""
    text = text.removeprefix("\\!")
    if text.startswith("\\(") and text.endswith("\\)") and _find_box_end(text, 0) == len(text):
        text = text[2:-2]
    text = parse_symbol_name(
        _BOX_OPERATOR.sub(lambda found: _OPERATOR_TEXT.get(found[1], ""), text)
    )
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


_BRACKET_DEPTH_CHANGES = {"[": 1, "{": 1, "(": 1, "]": -1, "}": -1, ")": -1}
_INDENTING_NEWLINE, _INDENT = '"\\[IndentingNewLine]"', "  "
_MACHINE_NUMBER = re.compile(r"[\d.]+`")


def boxes_to_text(
    expression: Expression,
    *,
    form: BoxTextForm = "input",
    limit: int | None = None,
    picture: Callable[[Node], str] | None = None,
) -> str:
    """What boxes say, in a line of text, or in several where they have line ends.

    With `form` "input" it is code that stands for the same; "output" leaves the marks of machine
    numbers out; "text" is for people: without the quotes of strings, and with what is displayed
    in place of what it stands for. What is longer than `limit` may be left out. `picture` says
    what stands for graphics.
    """
    out: list[str] = []
    waiting: list[str | Expression] = [expression]
    before, size, depth = "", 0, 0
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            out.append(item)
            before = ""
        elif isinstance(item, Atom):
            text = _format_token(item, form)
            if before and text and _would_merge(before, text):
                out.append(" ")
            if text in _BRACKET_DEPTH_CHANGES:
                depth += _BRACKET_DEPTH_CHANGES[text]
            elif text == "\n" and item.text == _INDENTING_NEWLINE and form != "text":
                text += _INDENT * depth
            out.append(text)
            before = text
            size += len(text)
            if limit is not None and size > limit:
                break
        else:
            name = item.head.text if isinstance(item.head, Atom) else ""
            if name == "RowBox":
                waiting.extend(get_reversed_row(item, form))
            elif name in _GRAPHICS_HEADS and picture is not None:
                waiting.append(picture(item))
            else:
                waiting.extend(reversed(BOX_FORMATTERS.get(name, format_unknown_box)(item, form)))
    return "".join(out)


_GRAPHICS_HEADS = frozenset(("GraphicsBox", "Graphics3DBox", "GraphicsData"))


def _would_merge(before: str, text: str) -> bool:
    """Whether two tokens would be read as one; `2x` is two even so."""
    last, first = before[-1], text[0]
    if not (first.isalnum() and last.isalnum()):
        return False
    return last.isalpha() or first.isdigit() or not before.lstrip(".")[0].isdigit()


def _format_token(atom: Atom, form: BoxTextForm) -> str:
    text = atom.text
    if atom.kind != "string":
        return box_syntax_to_code(text) if atom.kind == "boxes" else text
    text = text[1:-1] if "\\" not in text else parse_string(text)
    if text.isascii() and text[:1] != '"' and text[-1:] != "`":
        return text
    return _format_special_token(text, form)


def _format_special_token(text: str, form: BoxTextForm) -> str:
    """A token that is a string, a number with a mark, or has foreign characters."""
    if text[:1] == '"' and form == "text":
        text = parse_string(text) if text[-1:] == '"' and len(text) > 1 else text
    if form == "output" and _MACHINE_NUMBER.fullmatch(text):
        return text[:-1]
    found = PLAIN_TEXT_BY_CHARACTER.get(text)
    return found if found is not None else to_plain_characters(text)
