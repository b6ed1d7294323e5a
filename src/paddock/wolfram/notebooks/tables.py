"""Tables: grids in cells, and rows of markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, call, has_head, is_symbol, symbol
from paddock.wolfram.notebooks.linear_forms import unwrapped
from paddock.wolfram.notebooks.model import Cell, expression_of, listed, rule
from paddock.wolfram.notebooks.phrases import phrases
from paddock.wolfram.notebooks.spans import spans
from paddock.wolfram.notebooks.text_data import content_of, runs_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from paddock.wolfram.expressions import Expression

_SIGNS = {"Left": ":---", "Center": ":---:", "Right": "---:", "": "---"}


def table_cell(rows: Sequence[Sequence[str]], aligned: Sequence[str]) -> Cell:
    """A cell with a grid; its first row has a line below."""
    lists = [listed(_entry(text) for text in row) for row in rows]
    columns = [symbol(side or "Automatic") for side in aligned]
    header: list[Expression] = [symbol("False"), symbol("True"), listed([symbol("False")])]
    grid = call(
        "GridBox",
        listed(lists),
        rule(symbol("GridBoxAlignment"), listed([rule(expression_of("Columns"), listed(columns))])),
        rule(symbol("GridBoxDividers"), listed([rule(expression_of("Rows"), listed(header))])),
    )
    return Cell(call("BoxData", grid), "Text")


def _entry(text: str) -> Expression:
    return call("Cell", expression_of(content_of(spans(text))))


def grid_of(content: Expression) -> Node | None:
    """The grid that a cell consists of, if it does."""
    inner = unwrapped(content)
    return inner if isinstance(inner, Node) and has_head(inner, "GridBox") and inner.args else None


def table(grid: Node, picture: Callable[[Node], str]) -> str:
    """The rows of a grid in markdown, the first one as the header."""
    lists = grid.args[0].args if isinstance(grid.args[0], Node) else []
    rows = [
        [phrases(runs_of(entry, picture), in_table=True) for entry in row.args]
        for row in lists
        if isinstance(row, Node)
    ]
    if not rows:
        return ""
    width = max(map(len, rows))
    aligned = [_SIGNS.get(side, "---") for side in _aligned(grid)]
    signs = (aligned + ["---"] * width)[:width]
    lines = [row + [""] * (width - len(row)) for row in [rows[0], signs, *rows[1:]]]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _aligned(grid: Node) -> list[str]:
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
