"""Writer of notebook files.

The file has the comments that front ends look for, but no cache of cell offsets: the front end adds
it when it saves the file, and an incorrect cache would be worse than none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, has_head
from paddock.wolfram.notebooks.character_encoding import ascii_string, escape_to_ascii
from paddock.wolfram.notebooks.model import Cell, CellGroup
from paddock.wolfram.printer import input_form
from paddock.wolfram.tokens import is_symbol_name

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.notebooks.model import Notebook

_HEADER = """\
(* Content-type: application/vnd.wolfram.mathematica *)

(*** Wolfram Notebook File ***)
(* http://www.wolfram.com/nb *)

(* CreatedBy='Paddock' *)

(* Beginning of Notebook Content *)
"""
_FOOTER = "(* End of Notebook Content *)\n"
_GROUP_BEGIN, _SEPARATOR = "Cell[CellGroupData[{\n\n", ",\n\n"


def write_notebook(notebook: Notebook) -> str:
    """Return the text of a `.nb` file."""
    pieces = [_HEADER, "Notebook[{\n\n", format_cells(notebook.cells)]
    pieces += ["\n\n}", *_format_options(notebook.options), "\n]\n", _FOOTER]
    return "".join(pieces)


def format_cells(cells: list[Cell | CellGroup]) -> str:
    """Return the source of cells and groups, separated by commas.

    Groups are written with a stack and not by recursion.
    """
    pieces: list[str] = []
    pending: list[str | Cell | CellGroup] = _reverse_with_separators(cells)
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif isinstance(item, Cell):
            pieces.append(format_cell(item))
        else:
            # The parts are pushed in reverse order, because the last one pushed is written first.
            pending.append(f"\n\n}}, {_format_expression(item.state)}]]")
            pending += _reverse_with_separators(item.cells)
            pending.append(_GROUP_BEGIN)
    return "".join(pieces)


def _reverse_with_separators(cells: list[Cell | CellGroup]) -> list[str | Cell | CellGroup]:
    """Return the cells and separators in reverse order, for a stack."""
    items: list[str | Cell | CellGroup] = []
    for cell in reversed(cells):
        if items:
            items.append(_SEPARATOR)
        items.append(cell)
    return items


def format_cell(cell: Cell) -> str:
    """Return the source of a cell."""
    styles = [f", {ascii_string(style).text}" for style in cell.styles]
    options = _format_options(cell.options)
    return f"Cell[{format_content(cell.content)}{''.join(styles)}{''.join(options)}]"


def format_content(content: str | Expression) -> str:
    """Return the source of a cell's content."""
    return _format_expression(ascii_string(content) if isinstance(content, str) else content)


def _format_options(options: dict[str, Expression]) -> list[str]:
    """Return the source of options, each with the comma before it."""
    pieces = []
    for name, value in options.items():
        # A delayed rule is stored whole, since its sign would otherwise be lost.
        if has_head(value, "RuleDelayed"):
            pieces.append(f",\n {_format_expression(value)}")
        else:
            # Names such as "Some Option" are only valid as strings.
            key = name if is_symbol_name(name) else ascii_string(name).text
            pieces.append(f",\n {escape_to_ascii(key)}->{_format_expression(value)}")
    return pieces


def _format_expression(expression: Expression) -> str:
    text = expression.text if isinstance(expression, Atom) else input_form(expression)
    return escape_to_ascii(text)
