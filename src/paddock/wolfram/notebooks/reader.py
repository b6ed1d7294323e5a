"""From the text of a notebook file to a notebook.

Much of a file is not the notebook: the comments around it, and the outline that the front end keeps
there to open it quickly. Both are left out. A file that is damaged is read as far as it goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, has_head
from paddock.wolfram.literals import parse_string
from paddock.wolfram.notebooks.model import Cell, CellGroup, Notebook, NotebookError
from paddock.wolfram.parse_state import defer_gc
from paddock.wolfram.parser import parse

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import ParsedSource


def read_notebook(text: str) -> Notebook:
    """The notebook in a text.

    What is wrong with the text is told in `problems` of the notebook.

    Raises:
        NotebookError: when there is no notebook in it.
    """
    with defer_gc():
        source = parse(text)
        for expression in source.expressions:
            if isinstance(expression, Node) and has_head(expression, "Notebook"):
                notebook = _build_notebook(expression)
                notebook.problems = _format_problems(source)
                return notebook
    raise NotebookError("There is no Notebook[…] in it", hint="give a file that ends in .nb")


def _format_problems(source: ParsedSource) -> list[str]:
    found = []
    for problem in source.problems:
        line, column = source.get_position(problem.start)
        found.append(f"line {line}, column {column}: {problem.message}")
    return found


def _build_notebook(expression: Node) -> Notebook:
    first = expression.args[0] if expression.args else None
    notebook = Notebook([])
    if first is not None:
        notebook.cells = _build_cells(_get_list_items(first))
    notebook.options = read_options(expression.args[1:])
    return notebook


def _get_list_items(expression: Expression) -> list[Expression]:
    """What is in a list; something alone is a list of one."""
    if isinstance(expression, Node) and has_head(expression, "List"):
        return expression.args
    return [expression]


def _build_cells(expressions: list[Expression]) -> list[Cell | CellGroup]:
    """Cells and groups; groups may be nested deeply, so they wait on a list."""
    cells: list[Cell | CellGroup] = []
    waiting = [(expressions, cells)]
    while waiting:
        found, target = waiting.pop()
        for expression in found:
            group = _find_group_data(expression)
            if group is None:
                target.append(to_cell(expression))
                continue
            made = CellGroup([], group.args[1] if len(group.args) > 1 else "Open")
            target.append(made)
            waiting.append((_get_list_items(group.args[0]), made.cells))
    return cells


def _find_group_data(expression: Expression) -> Node | None:
    """The `CellGroupData` of a cell that is a group."""
    if not isinstance(expression, Node) or not expression.args:
        return None
    inner = expression.args[0] if has_head(expression, "Cell") else expression
    is_group = isinstance(inner, Node) and has_head(inner, "CellGroupData") and inner.args
    return inner if isinstance(inner, Node) and is_group else None


def to_cell(expression: Expression) -> Cell:
    """A cell; what is none becomes the content of one."""
    if not isinstance(expression, Node) or not has_head(expression, "Cell"):
        return Cell(expression)
    content = expression.args[0] if expression.args else ""
    if isinstance(content, Atom) and content.kind == "string":
        cell = Cell(parse_string(content.text))
    else:
        cell = Cell(content)
    rest = expression.args[1:]
    cell.styles = tuple(
        parse_string(one.text) for one in rest if isinstance(one, Atom) and one.kind == "string"
    )
    cell.options = read_options(rest)
    return cell


def read_options(args: list[Expression]) -> dict[str, Expression]:
    """Options by name; of `:>` the whole rule is the value, so that it can be written again."""
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
