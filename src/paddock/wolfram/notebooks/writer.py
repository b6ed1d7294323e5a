"""From a notebook to the text of a notebook file.

The file has the comments that front ends look for and no outline: that is written by the front end
when it saves the file, and one that is wrong would be worse than none.
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
    """The text of a `.nb` file."""
    pieces = [_HEADER, "Notebook[{\n\n", format_cells(notebook.cells)]
    pieces += ["\n\n}", *_format_options(notebook.options), "\n]\n", _FOOTER]
    return "".join(pieces)


def format_cells(cells: list[Cell | CellGroup]) -> str:
    """Cells and groups as they stand in the list of a notebook or group."""
    pieces: list[str] = []
    waiting: list[str | Cell | CellGroup] = _reverse_with_separators(cells)
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif isinstance(item, Cell):
            pieces.append(format_cell(item))
        else:
            waiting.append(f"\n\n}}, {_format_expression(item.state)}]]")
            waiting += _reverse_with_separators(item.cells)
            waiting.append(_GROUP_BEGIN)
    return "".join(pieces)


def _reverse_with_separators(cells: list[Cell | CellGroup]) -> list[str | Cell | CellGroup]:
    """Cells with what stands between them, from last to first."""
    items: list[str | Cell | CellGroup] = []
    for cell in reversed(cells):
        if items:
            items.append(_SEPARATOR)
        items.append(cell)
    return items


def format_cell(cell: Cell) -> str:
    """One cell as it stands in a file."""
    styles = [f", {ascii_string(style).text}" for style in cell.styles]
    options = _format_options(cell.options)
    return f"Cell[{format_content(cell.content)}{''.join(styles)}{''.join(options)}]"


def format_content(content: str | Expression) -> str:
    """What a cell holds as it stands in a file."""
    return _format_expression(ascii_string(content) if isinstance(content, str) else content)


def _format_options(options: dict[str, Expression]) -> list[str]:
    pieces = []
    for name, value in options.items():
        if has_head(value, "RuleDelayed"):
            pieces.append(f",\n {_format_expression(value)}")
        else:
            key = name if is_symbol_name(name) else ascii_string(name).text
            pieces.append(f",\n {escape_to_ascii(key)}->{_format_expression(value)}")
    return pieces


def _format_expression(expression: Expression) -> str:
    text = expression.text if isinstance(expression, Atom) else input_form(expression)
    return escape_to_ascii(text)
