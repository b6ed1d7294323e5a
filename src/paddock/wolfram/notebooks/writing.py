"""From a notebook to the text of a notebook file.

The file has the comments that front ends look for and no outline: that is written by the front end
when it saves the file, and one that is wrong would be worse than none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, has_head
from paddock.wolfram.notebooks.encoding import in_ascii, literal
from paddock.wolfram.notebooks.model import Cell, Group
from paddock.wolfram.printer import input_form
from paddock.wolfram.tokens import is_name

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
    pieces = [_HEADER, "Notebook[{\n\n", cells_text(notebook.cells)]
    pieces += ["\n\n}", *_options(notebook.options), "\n]\n", _FOOTER]
    return "".join(pieces)


def cells_text(cells: list[Cell | Group]) -> str:
    """Cells and groups as they stand in the list of a notebook or group."""
    pieces: list[str] = []
    waiting: list[str | Cell | Group] = _reversed(cells)
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            pieces.append(item)
        elif isinstance(item, Cell):
            pieces.append(cell_text(item))
        else:
            waiting.append(f"\n\n}}, {_written(item.state)}]]")
            waiting += _reversed(item.cells)
            waiting.append(_GROUP_BEGIN)
    return "".join(pieces)


def _reversed(cells: list[Cell | Group]) -> list[str | Cell | Group]:
    """Cells with what stands between them, from last to first."""
    items: list[str | Cell | Group] = []
    for cell in reversed(cells):
        if items:
            items.append(_SEPARATOR)
        items.append(cell)
    return items


def cell_text(cell: Cell) -> str:
    """One cell as it stands in a file."""
    styles = [f", {literal(style).text}" for style in cell.styles]
    options = _options(cell.options)
    return f"Cell[{content_text(cell.content)}{''.join(styles)}{''.join(options)}]"


def content_text(content: str | Expression) -> str:
    """What a cell holds as it stands in a file."""
    return _written(literal(content) if isinstance(content, str) else content)


def _options(options: dict[str, Expression]) -> list[str]:
    pieces = []
    for name, value in options.items():
        if has_head(value, "RuleDelayed"):
            pieces.append(f",\n {_written(value)}")
        else:
            key = name if is_name(name) else literal(name).text
            pieces.append(f",\n {in_ascii(key)}->{_written(value)}")
    return pieces


def _written(expression: Expression) -> str:
    text = expression.text if isinstance(expression, Atom) else input_form(expression)
    return in_ascii(text)
