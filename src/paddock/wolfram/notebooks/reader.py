"""Reader of notebook files.

Comments in the file, including the front end's cache of cell offsets, are ignored. Damaged files
are read as far as possible.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, get_list_items, has_head
from paddock.wolfram.literals import parse_string
from paddock.wolfram.notebooks.model import Cell, CellGroup, Notebook, NotebookError
from paddock.wolfram.parse_state import defer_gc
from paddock.wolfram.parser import parse

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import ParsedSource


def read_notebook(text: str) -> Notebook:
    """Read the notebook in the text of a file.

    What can be parsed of a damaged file is read. Its syntax problems are listed in `problems`.

    Raises:
        NotebookError: The text contains no notebook.
    """
    with defer_gc():
        source = parse(text)
        # Damaged files may have other expressions before the notebook.
        for expression in source.expressions:
            if has_head(expression, "Notebook"):
                notebook = _build_notebook(expression)
                notebook.problems = _format_problems(source)
                return notebook
    raise NotebookError("The text contains no Notebook[…]", hint="use a .nb file")


def _format_problems(source: ParsedSource) -> list[str]:
    """Return the syntax problems of a source with their lines and columns."""
    problems = []
    for problem in source.problems:
        line, column = source.get_position(problem.start)
        problems.append(f"line {line}, column {column}: {problem.message}")
    return problems


def _build_notebook(expression: Node) -> Notebook:
    """Build the notebook of a `Notebook` expression."""
    first = expression.args[0] if expression.args else None
    notebook = Notebook([])
    if first is not None:
        notebook.cells = _build_cells(get_list_items(first))
    notebook.options = read_options(expression.args[1:])
    return notebook


def _build_cells(expressions: list[Expression]) -> list[Cell | CellGroup]:
    """Convert expressions to cells and groups.

    The conversion uses a stack, because groups can be nested deeply.
    """
    cells: list[Cell | CellGroup] = []
    pending = [(expressions, cells)]
    while pending:
        items, target = pending.pop()
        for expression in items:
            group = _find_group_data(expression)
            if group is None:
                target.append(to_cell(expression))
                continue
            cell_group = CellGroup([], group.args[1] if len(group.args) > 1 else "Open")
            target.append(cell_group)
            # The list of the group's cells is filled later, when it is taken from the stack.
            pending.append((get_list_items(group.args[0]), cell_group.cells))
    return cells


def _find_group_data(expression: Expression) -> Node | None:
    """Return the `CellGroupData` of a group, or None for a cell."""
    if not isinstance(expression, Node) or not expression.args:
        return None
    inner = expression.args[0] if has_head(expression, "Cell") else expression
    is_group = has_head(inner, "CellGroupData") and inner.args
    return inner if isinstance(inner, Node) and is_group else None


def to_cell(expression: Expression) -> Cell:
    """Convert an expression to a cell.

    An expression without the head `Cell` becomes the content of a cell without a style.
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


def read_options(args: list[Expression]) -> dict[str, Expression]:
    """Return options by name.

    The value of a delayed rule is the whole rule, so that it can be written again as one.
    """
    options: dict[str, Expression] = {}
    for arg in args:
        if isinstance(arg, Node) and len(arg.args) == 2 and isinstance(arg.args[0], Atom):
            key = arg.args[0]
            name = parse_string(key.text) if key.kind == "string" else key.text
            if has_head(arg, "Rule"):
                options[name] = arg.args[1]
            elif has_head(arg, "RuleDelayed"):
                options[name] = arg
    return options
