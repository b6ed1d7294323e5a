"""Markdown as what reference pages hold: notes, tables, links, and variables in italics."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, call, symbol
from paddock.wolfram.notebooks.blocks import blocks
from paddock.wolfram.notebooks.boxing import boxes
from paddock.wolfram.notebooks.encoding import literal
from paddock.wolfram.notebooks.fences import cells_of_fence
from paddock.wolfram.notebooks.model import Cell, rule
from paddock.wolfram.notebooks.runs import Look
from paddock.wolfram.notebooks.spans import LINK, spans
from paddock.wolfram.notebooks.tex_reading import tex_to_boxes
from paddock.wolfram.notebooks.text_data import content_of, traditional
from paddock.wolfram.reference_pages.failures import InvalidContentError
from paddock.wolfram.text import string_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.notebooks.blocks import Block
    from paddock.wolfram.notebooks.runs import Run

PLACEHOLDER = "XXXX"
"""What stands where an author has still to write something."""
INLINE_FORMULA = "InlineFormula"
ITALIC = "TI"
TABLE = "ColumnTableMod"
"""How the styles of tables end; before it stands the number of columns."""
_WIDEST_TABLE = 3
_VARIABLE = re.compile(r"[^\W\d_][\w$]*(?:_[\w$]+)?")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")


def page_content(text: str) -> str | Expression:
    """A paragraph of markdown as the content of a cell."""
    return text_data(page_pieces(text))


def page_pieces(text: str) -> list[Expression]:
    """A paragraph of markdown as the pieces of a text."""
    return [piece for run in spans(text) for piece in _pieces(run)]


def text_data(pieces: Sequence[Expression]) -> str | Expression:
    """Pieces of text as the content of a cell; a string when they are nothing else."""
    joined: list[Expression] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if isinstance(piece, Atom) and isinstance(last, Atom):
            joined[-1] = literal(string_value(last.text) + string_value(piece.text))
        else:
            joined.append(piece)
    if not joined:
        return ""
    if len(joined) == 1 and isinstance(joined[0], Atom):
        return string_value(joined[0].text)
    return call("TextData", list_of(joined))


def list_of(items: Sequence[Expression]) -> Node:
    """`{…}`."""
    return Node(symbol("List"), list(items), form="list")


def inline_formula(content: Expression) -> Node:
    """Boxes in the middle of a text."""
    return call("Cell", call("BoxData", content), literal(INLINE_FORMULA))


def variable(name: str) -> Node:
    """The box of a variable."""
    return call("StyleBox", literal(name), literal(ITALIC))


def link(text: str, target: str) -> Node:
    """A button that leads to a page of the documentation."""
    return call(
        "ButtonBox",
        literal(text),
        rule(symbol("BaseStyle"), literal("Link")),
        rule(symbol("ButtonData"), literal(target)),
    )


def _pieces(run: Run) -> list[Expression]:
    look = run.look
    if run.kind == "code" and not look.link:
        return [inline_formula(boxes(run.text))]
    is_variable = run.kind == "text" and look == Look(is_italic=True)
    if is_variable and _VARIABLE.fullmatch(run.text):
        return [inline_formula(variable(run.text))]
    content = content_of([run])
    if isinstance(content, str):
        return [literal(content)]
    inner = content.args[0] if isinstance(content, Node) else content
    return list(inner.args) if isinstance(inner, Node) else [inner]


def notes(markdown: str) -> list[Cell]:
    """The cells of notes: one for each paragraph, item, table, formula or block of code.

    Headings and rules are left out.
    """
    return [cell for block in blocks(markdown) for cell in _NOTES[block.kind](block)]


def _note(block: Block) -> list[Cell]:
    return [Cell(page_content(block.text), "Notes")] if block.text else []


def _formula(block: Block) -> list[Cell]:
    made = tex_to_boxes(block.text)
    content = f"$${block.text}$$" if made is None else traditional(made)
    return [Cell(content, "Notes")]


def _fence(block: Block) -> list[Cell]:
    return cells_of_fence(block.info, block.text)


def _nothing(_block: Block) -> list[Cell]:
    return []


def _table(block: Block) -> list[Cell]:
    """Rows as front ends show them on such pages: behind a sign, without an empty header."""
    rows = block.rows if any(block.rows[0]) else block.rows[1:]
    grid = call("GridBox", list_of([_row(row) for row in rows]))
    width = min(len(block.rows[0]), _WIDEST_TABLE)
    return [Cell(call("BoxData", grid), f"{width}{TABLE}")]


def _row(row: Sequence[str]) -> Node:
    icon = call("Cell", literal("      "), literal("TableRowIcon"))
    return list_of([icon, *map(_entry, row)])


def _entry(text: str) -> Expression:
    content = page_content(text)
    made = literal(content) if isinstance(content, str) else content
    return call("Cell", made, literal("TableText"))


_NOTES: dict[str, Callable[[Block], list[Cell]]] = {
    "heading": _nothing,
    "text": _note,
    "item": _note,
    "fence": _fence,
    "table": _table,
    "formula": _formula,
    "rule": _nothing,
}


def names(text: str) -> list[str]:
    """What a list separated by commas or line ends holds, without bullets and back ticks."""
    found = [_BULLET.sub("", f"{part} ", count=1) for part in re.split(r"[,\n]", text)]
    return list(dict.fromkeys(name for part in found if (name := part.strip(" \t\r`"))))


def links(text: str, style: str) -> list[Cell]:
    """A cell for each line of links; a placeholder when there are none.

    Raises:
        InvalidContentError: when a line is no `[label](address)`.
    """
    cells = []
    for line in text.splitlines():
        written = _BULLET.sub("", line, count=1).strip().rstrip(",").strip()
        if not written:
            continue
        if re.sub(r"[\s,]", "", LINK.sub("", written)):
            raise InvalidContentError(
                f"{written!r} is no link", hint="write each on a line of its own: [label](address)"
            )
        cells += [
            Cell(page_content(f"[{found[1]}]({_address(found[2])})"), style)
            for found in LINK.finditer(written)
        ]
    return cells or [Cell(PLACEHOLDER, style)]


def _address(target: str) -> str:
    """Without a scheme it is a page of the documentation."""
    inner = target.strip("<>")
    return f"<{inner}>" if _SCHEME.match(inner) else f"<paclet:{inner}>"


def see_also(text: str, target: Callable[[str], str]) -> str | Expression:
    """The content of the cell with related symbols; `target` says where each has its page."""
    pieces: list[Expression] = []
    for name in names(text):
        found = LINK.fullmatch(name)
        label, address = (found[1].strip("`"), found[2]) if found else (name, target(name))
        if pieces:
            separator = literal("\N{ZERO WIDTH SPACE}\N{MIDDLE DOT}\N{ZERO WIDTH SPACE}")
            pieces.append(call("StyleBox", separator, literal("InlineSeparator")))
        pieces.append(inline_formula(link(label, address)))
    return text_data(pieces) if pieces else PLACEHOLDER
