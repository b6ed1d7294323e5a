"""The `.nb` file format: read and write the text of notebook files.

Comments in a file, including the front end's cache of cell offsets, are ignored. Damaged files are
read up to the damage where possible. Written files contain the comments that front ends look for,
but no cache: the front end adds one when it saves the file, and an incorrect cache would be worse
than none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, get_list_items, has_head
from paddock.wolfram.literals import parse_string
from paddock.wolfram.notebooks.character_encoding import ascii_string, escape_to_ascii
from paddock.wolfram.notebooks.model import (
    Cell,
    CellGroup,
    Notebook,
    NotebookError,
    read_options,
)
from paddock.wolfram.parse_state import defer_gc
from paddock.wolfram.parser import parse
from paddock.wolfram.printer import input_form
from paddock.wolfram.tokens import is_symbol_name

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import ParsedSource

_HEADER = """\
(* Content-type: application/vnd.wolfram.mathematica *)

(*** Wolfram Notebook File ***)
(* http://www.wolfram.com/nb *)

(* CreatedBy='Paddock' *)

(* Beginning of Notebook Content *)
"""
_FOOTER = "(* End of Notebook Content *)\n"
_GROUP_BEGIN, _SEPARATOR = "Cell[CellGroupData[{\n\n", ",\n\n"


def read_notebook(text: str) -> Notebook:
    """Parse the text of a notebook file (`.nb`).

    A damaged file is read as completely as possible. Its syntax problems are listed in the
    `problems` of the notebook.

    Raises:
        NotebookError: The text contains no notebook.
    """
    with defer_gc():
        source = parse(text)
        # In a damaged file, other expressions may precede the notebook.
        for expression in source.expressions:
            if has_head(expression, "Notebook"):
                notebook = _build_notebook(expression)
                notebook.problems = _format_problems(source)
                return notebook
    raise NotebookError("The text contains no Notebook[…]", hint="use a .nb file")


def _format_problems(source: ParsedSource) -> list[str]:
    """Return a source's syntax problems with their lines and columns."""
    problems = []
    for problem in source.problems:
        line, column = source.get_position(problem.start)
        problems.append(f"line {line}, column {column}: {problem.message}")
    return problems


def _build_notebook(expression: Node) -> Notebook:
    """Convert an expression `Notebook[{cells…}, options…]` to a notebook."""
    notebook = Notebook([])
    if expression.args:
        cell_list, *options = expression.args
        notebook.cells = _build_cells(get_list_items(cell_list))
        notebook.options = read_options(options)
    return notebook


def _build_cells(expressions: list[Expression]) -> list[Cell | CellGroup]:
    """Convert expressions such as `Cell["text", "Text"]` to cells and groups of cells.

    A stack is used instead of recursion, because groups can be nested deeply.
    """
    top_level_cells: list[Cell | CellGroup] = []
    pending = [(expressions, top_level_cells)]
    while pending:
        cell_expressions, cells = pending.pop()
        for expression in cell_expressions:
            group_data = _find_group_data(expression)
            if group_data is None:
                cells.append(to_cell(expression))
                continue
            state = group_data.args[1] if len(group_data.args) > 1 else "Open"
            group = CellGroup([], state)
            cells.append(group)
            # The group is filled later, when its cells are taken from the stack.
            pending.append((get_list_items(group_data.args[0]), group.cells))
    return top_level_cells


def _find_group_data(expression: Expression) -> Node | None:
    """Return the `CellGroupData` of a group, or None for a cell."""
    if not isinstance(expression, Node) or not expression.args:
        return None
    inner = expression.args[0] if has_head(expression, "Cell") else expression
    is_group = has_head(inner, "CellGroupData") and inner.args
    return inner if isinstance(inner, Node) and is_group else None


def to_cell(expression: Expression) -> Cell:
    """Convert an expression such as `Cell["text", "Text"]` to a cell.

    An expression with another head becomes the content of a cell without a style.
    """
    if not has_head(expression, "Cell"):
        return Cell(expression)
    content = expression.args[0] if expression.args else ""
    # Only strings are decoded, because expressions must be written back unchanged.
    if isinstance(content, Atom) and content.kind == "string":
        cell = Cell(parse_string(content.text))
    else:
        cell = Cell(content)
    arguments = expression.args[1:]
    cell.styles = tuple(
        parse_string(arg.text)
        for arg in arguments
        if isinstance(arg, Atom) and arg.kind == "string"
    )
    cell.options = read_options(arguments)
    return cell


def write_notebook(notebook: Notebook) -> str:
    """Return the text of a `.nb` file."""
    pieces = [_HEADER, "Notebook[{\n\n", format_cells(notebook.cells)]
    pieces += ["\n\n}", *_format_options(notebook.options), "\n]\n", _FOOTER]
    return "".join(pieces)


def format_cells(cells: list[Cell | CellGroup]) -> str:
    """Return the source text of cells and groups for a notebook file, separated by commas.

    A stack is used instead of recursion, because groups can be nested deeply. It contains pieces of
    text, and the cells and groups still to be written.
    """
    written_pieces: list[str] = []
    pending: list[str | Cell | CellGroup] = _reverse_with_separators(cells)
    while pending:
        item = pending.pop()
        if isinstance(item, str):
            written_pieces.append(item)
        elif isinstance(item, Cell):
            written_pieces.append(format_cell(item))
        else:
            # Push the parts in reverse order, because the last one pushed is written first.
            pending.append(f"\n\n}}, {_format_expression(item.state)}]]")
            pending += _reverse_with_separators(item.cells)
            pending.append(_GROUP_BEGIN)
    return "".join(written_pieces)


def _reverse_with_separators(cells: list[Cell | CellGroup]) -> list[str | Cell | CellGroup]:
    """Return cells separated by commas, in reverse order for pushing onto a stack."""
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
    """Return the source text of each option, such as `FontSize->12`, with a comma before it."""
    pieces = []
    for name, value in options.items():
        # The value of a delayed rule is the whole rule; see `read_options`.
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
