"""Conversion of Markdown to reference page cells: notes, tables, links and inline formulas."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, call, symbol
from paddock.wolfram.literals import parse_string
from paddock.wolfram.notebooks.block_parser import parse_blocks
from paddock.wolfram.notebooks.box_builder import code_to_boxes
from paddock.wolfram.notebooks.cell_markdown import parse_fence_cells
from paddock.wolfram.notebooks.character_encoding import ascii_string
from paddock.wolfram.notebooks.inline_parser import LINK_PATTERN, parse_inline
from paddock.wolfram.notebooks.model import Cell, TextStyle, make_list, make_rule
from paddock.wolfram.notebooks.tex_parser import tex_to_boxes
from paddock.wolfram.notebooks.text_data import make_traditional_form, runs_to_content
from paddock.wolfram.reference_pages.errors import InvalidContentError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.notebooks.block_parser import MarkdownBlock
    from paddock.wolfram.notebooks.model import TextRun

PLACEHOLDER = "XXXX"
"""Placeholder text for content that the author has yet to write."""
INLINE_FORMULA_STYLE = "InlineFormula"
ITALIC_STYLE = "TI"
TABLE_STYLE_SUFFIX = "ColumnTableMod"
"""Suffix of table styles, after the number of columns."""
_MAX_TABLE_COLUMNS = 3
_VARIABLE = re.compile(r"[^\W\d_][\w$]*(?:_[\w$]+)?")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")


def make_page_content(text: str) -> str | Expression:
    """Convert a Markdown paragraph to cell content."""
    return make_text_data(make_page_pieces(text))


def make_page_pieces(text: str) -> list[Expression]:
    """Convert a Markdown paragraph to `TextData` elements, in the styles of reference pages.

    Inline code becomes a formula cell, and a single word in italics becomes a variable.
    """
    return [piece for run in parse_inline(text) for piece in _run_to_pieces(run)]


def make_text_data(pieces: Sequence[Expression]) -> str | Expression:
    """Combine pieces of text and expressions, such as links, into the content of a notebook cell.

    Pieces of plain text are joined, as in front ends. If there is only plain text, the content is a
    string, otherwise an expression `TextData[{…}]`.
    """
    elements: list[Expression] = []
    for piece in pieces:
        previous = elements[-1] if elements else None
        if isinstance(piece, Atom) and isinstance(previous, Atom):
            elements[-1] = ascii_string(parse_string(previous.text) + parse_string(piece.text))
        else:
            elements.append(piece)
    if not elements:
        return ""
    if len(elements) == 1 and isinstance(elements[0], Atom):
        return parse_string(elements[0].text)
    return call("TextData", make_list(elements))


def make_inline_formula(content: Expression) -> Node:
    """Return an inline cell with boxes."""
    return call("Cell", call("BoxData", content), ascii_string(INLINE_FORMULA_STYLE))


def make_variable(name: str) -> Node:
    """Return the box of a variable."""
    return call("StyleBox", ascii_string(name), ascii_string(ITALIC_STYLE))


def make_link(text: str, target: str) -> Node:
    """Return a `ButtonBox` that links text to a documentation page, such as `paclet:ref/Sin`."""
    return call(
        "ButtonBox",
        ascii_string(text),
        make_rule(symbol("BaseStyle"), ascii_string("Link")),
        make_rule(symbol("ButtonData"), ascii_string(target)),
    )


def _run_to_pieces(run: TextRun) -> list[Expression]:
    """Convert a text run, a piece of text in one style, to elements of `TextData`.

    On reference pages, code and variables have special styles. Other text runs are converted as in
    any notebook.
    """
    style = run.style
    if run.kind == "code" and not style.link:
        return [make_inline_formula(code_to_boxes(run.text))]
    is_variable = run.kind == "text" and style == TextStyle(frozenset({"italic"}))
    if is_variable and _VARIABLE.fullmatch(run.text):
        return [make_inline_formula(make_variable(run.text))]
    content = runs_to_content([run])
    if isinstance(content, str):
        return [ascii_string(content)]
    elements = content.args[0] if isinstance(content, Node) else content
    return list(elements.args) if isinstance(elements, Node) else [elements]


def make_note_cells(markdown: str) -> list[Cell]:
    """Return a notes cell for each paragraph, item, table, formula and code block.

    Headings and horizontal rules are skipped.
    """
    return [cell for block in parse_blocks(markdown) for cell in _make_block_cells(block)]


def _make_block_cells(block: MarkdownBlock) -> list[Cell]:
    """Convert one Markdown block of the notes section to notebook cells.

    Blocks without a counterpart there, such as headings and horizontal rules, produce no cells.
    """
    match block.kind:
        case "text" | "item" if block.text:
            return [Cell(make_page_content(block.text), "Notes")]
        case "formula":
            return [Cell(make_formula_content(block.text), "Notes")]
        case "fence":
            return parse_fence_cells(block.info, block.text)
        case "table":
            return [_make_table_cell(block)]
    return []


def make_formula_content(tex: str) -> str | Expression:
    """Convert a displayed TeX formula to cell content. Invalid TeX is kept as written."""
    boxes = tex_to_boxes(tex)
    return f"$${tex}$$" if boxes is None else make_traditional_form(boxes)


def _make_table_cell(block: MarkdownBlock) -> Cell:
    """Return the cell of a Markdown table, such as `Cell[BoxData[GridBox[…]], "2ColumnTableMod"]`.

    The cell has the form that notebook front ends create on reference pages: each row begins with
    an icon column, and the cell style depends on the number of columns.
    """
    # Markdown requires a header row. Authors leave it empty for a table without a header.
    has_header = any(block.rows[0])
    rows = block.rows if has_header else block.rows[1:]
    grid = call("GridBox", make_list([_make_row(row) for row in rows]))
    column_count = min(len(block.rows[0]), _MAX_TABLE_COLUMNS)
    return Cell(call("BoxData", grid), f"{column_count}{TABLE_STYLE_SUFFIX}")


def _make_row(row: Sequence[str]) -> Node:
    icon = call("Cell", ascii_string("      "), ascii_string("TableRowIcon"))
    return make_list([icon, *map(_make_entry, row)])


def _make_entry(text: str) -> Expression:
    content = make_page_content(text)
    content_expression = ascii_string(content) if isinstance(content, str) else content
    return call("Cell", content_expression, ascii_string("TableText"))


def split_names(text: str) -> list[str]:
    """Split a list of names at commas and line ends.

    Bullets, backticks and duplicates are removed.
    """
    parts = [_BULLET.sub("", f"{part} ", count=1) for part in re.split(r"[,\n]", text)]
    return list(dict.fromkeys(name for part in parts if (name := part.strip(" \t\r`"))))


def make_link_cells(text: str, style: str) -> list[Cell]:
    """Return a cell for each Markdown link in a text, or a placeholder cell if there are no links.

    Args:
        text: Lines of links, such as `- [Plotting](guide/Plotting)`.
        style: The notebook style of the cells.

    Raises:
        InvalidContentError: A line contains anything but links.
    """
    cells = []
    for line in text.splitlines():
        link_text = _BULLET.sub("", line, count=1).strip().rstrip(",").strip()
        if not link_text:
            continue
        text_around_links = LINK_PATTERN.sub("", link_text)
        if re.sub(r"[\s,]", "", text_around_links):
            raise InvalidContentError(
                f"{link_text!r} is not a link", hint="write one link per line: [label](address)"
            )
        cells += [
            Cell(make_page_content(f"[{match[1]}]({_make_address(match[2])})"), style)
            for match in LINK_PATTERN.finditer(link_text)
        ]
    return cells or [Cell(PLACEHOLDER, style)]


def _make_address(target: str) -> str:
    """Return a link target in angle brackets.

    A target without a scheme is a documentation page and gets the `paclet:` scheme.
    """
    inner = target.strip("<>")
    return f"<{inner}>" if _SCHEME.match(inner) else f"<paclet:{inner}>"


def make_see_also_content(text: str, get_target: Callable[[str], str]) -> str | Expression:
    """Return the content of a See Also cell: links to related symbols, or a placeholder.

    Args:
        text: Symbol names or Markdown links, separated by commas or line ends.
        get_target: Returns the link target of a symbol name, such as `paclet:ref/Plot`.
    """
    pieces: list[Expression] = []
    for name in split_names(text):
        if match := LINK_PATTERN.fullmatch(name):
            label, address = match[1].strip("`"), match[2]
        else:
            label, address = name, get_target(name)
        if pieces:
            separator = ascii_string("\N{ZERO WIDTH SPACE}\N{MIDDLE DOT}\N{ZERO WIDTH SPACE}")
            pieces.append(call("StyleBox", separator, ascii_string("InlineSeparator")))
        pieces.append(make_inline_formula(make_link(label, address)))
    return make_text_data(pieces) if pieces else PLACEHOLDER
