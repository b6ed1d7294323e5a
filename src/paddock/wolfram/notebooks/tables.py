"""Tables: grids in cells, and rows of markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, call, has_head, is_symbol, symbol
from paddock.wolfram.notebooks.linear_forms import unwrap_box
from paddock.wolfram.notebooks.model import Cell, to_expression, make_list, make_rule
from paddock.wolfram.notebooks.phrases import format_runs
from paddock.wolfram.notebooks.spans import parse_inline
from paddock.wolfram.notebooks.text_data import runs_to_content, to_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.wolfram.expressions import Expression

_ALIGNMENT_SIGNS = {"Left": ":---", "Center": ":---:", "Right": "---:", "": "---"}


def make_table_cell(rows: Sequence[Sequence[str]], aligned: Sequence[str]) -> Cell:
    """A cell with a grid; its first row has a line below."""
    lists = [make_list(_make_entry(text) for text in row) for row in rows]
    columns = [symbol(side or "Automatic") for side in aligned]
    header: list[Expression] = [symbol("False"), symbol("True"), make_list([symbol("False")])]
    grid = call(
        "GridBox",
        make_list(lists),
        make_rule(symbol("GridBoxAlignment"), make_list([make_rule(to_expression("Columns"), make_list(columns))])),
        make_rule(symbol("GridBoxDividers"), make_list([make_rule(to_expression("Rows"), make_list(header))])),
    )
    return Cell(call("BoxData", grid), "Text")


def _make_entry(text: str) -> Expression:
    return call("Cell", to_expression(runs_to_content(parse_inline(text))))


def find_grid(content: Expression) -> Node | None:
    """The grid that a cell consists of, if it does."""
    inner = unwrap_box(content)
    return inner if isinstance(inner, Node) and has_head(inner, "GridBox") and inner.args else None


def format_table(grid: Node, picture: Callable[[Node], str]) -> str:
    """The rows of a grid in markdown, the first one as the header."""
    lists = grid.args[0].args if isinstance(grid.args[0], Node) else []
    rows = [
        [format_runs(to_runs(entry, picture), in_table=True) for entry in row.args]
        for row in lists
        if isinstance(row, Node)
    ]
    if not rows:
        return ""
    width = max(map(len, rows))
    aligned = [_ALIGNMENT_SIGNS.get(side, "---") for side in _read_alignments(grid)]
    signs = (aligned + ["---"] * width)[:width]
    lines = [row + [""] * (width - len(row)) for row in [rows[0], signs, *rows[1:]]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _read_alignments(grid: Node) -> list[str]:
    for option in grid.args[1:]:
        if isinstance(option, Node) and is_symbol(option.args[0], "GridBoxAlignment"):
            for one in getattr(option.args[1], "args", []):
                if isinstance(one, Node) and len(one.args) == 2 and _is_columns(one.args[0]):
                    return [
                        side.text if isinstance(side, Atom) else ""
                        for side in getattr(one.args[1], "args", [])
                    ]
    return []


def _is_columns(expression: Expression) -> bool:
    return isinstance(expression, Atom) and expression.text == '"Columns"'
