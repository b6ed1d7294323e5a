"""Boxes as one line of text after the other: what a reader of plain text needs to see of them.

The walk is here and never uses the interpreter's stack; what becomes of each kind of box is in
`linear_forms`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom
from paddock.wolfram.notebooks.box_syntax import box_syntax_to_code
from paddock.wolfram.notebooks.linear_forms import BOX_FORMATTERS, BoxTextForm, format_unknown_box, get_reversed_row
from paddock.wolfram.notebooks.signs import PLAIN_TEXT_BY_CHARACTER, to_plain_characters
from paddock.wolfram.text import parse_string

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression, Node

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
