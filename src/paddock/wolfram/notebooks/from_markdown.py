"""From markdown to a notebook: blocks become cells, headings make groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.collecting import collecting_later
from paddock.wolfram.expressions import symbol
from paddock.wolfram.notebooks.blocks import blocks
from paddock.wolfram.notebooks.fences import INPUTS, OUTPUTS, cells_of_fence
from paddock.wolfram.notebooks.model import Cell, Group, Notebook, expression_of
from paddock.wolfram.notebooks.spans import spans
from paddock.wolfram.notebooks.styles import DELIMITER, HEADINGS, LEVELS, QUOTE, item_style
from paddock.wolfram.notebooks.tables import table_cell
from paddock.wolfram.notebooks.tex_reading import tex_to_boxes
from paddock.wolfram.notebooks.text_data import TEX, UNKNOWN_TEX, content_of, traditional

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.notebooks.blocks import Block

_BYTE_ORDER_MARK = "\ufeff"
_LINE = {
    "Editable": False,
    "Selectable": False,
    "ShowCellBracket": False,
    "CellFrame": [[0, 0], [0, 1.5]],
    "CellMargins": [[0, 0], [1, 1]],
    "CellElementSpacings": {"CellMinHeight": 1},
    "CellFrameMargins": 0,
    "CellSize": [symbol("Automatic"), 1],
}


def markdown_to_notebook(markdown: str) -> Notebook:
    """A notebook that says what a markdown text says."""
    cells: list[Cell] = []
    numbers: dict[int, int] = {}
    with collecting_later():
        for block in blocks(markdown.removeprefix(_BYTE_ORDER_MARK)):
            for cell in _KINDS[block.kind](block):
                _count(cell, block, numbers)
                cell.styles += (QUOTE,) * block.quote
                cells.append(cell)
    return Notebook(_grouped(cells), StyleDefinitions="Default.nb")


def _count(cell: Cell, block: Block, numbers: dict[int, int]) -> None:
    """Keep the number of an item whose number is not the next one."""
    level = block.level
    for deeper in [one for one in numbers if one > level or block.kind not in ("item", "text")]:
        del numbers[deeper]
    if block.kind != "item":
        if block.kind != "text" or not block.level:
            numbers.clear()
        return
    if block.number is None:
        numbers.pop(level, None)
        return
    if block.number != numbers.get(level, 0) + 1:
        before = block.number - 1
        cell.options["CounterAssignments"] = expression_of([[cell.style, before]])
    numbers[level] = block.number


def _heading(block: Block) -> list[Cell]:
    return [Cell(content_of(spans(block.text)), HEADINGS[block.level - 1])]


def _text(block: Block) -> list[Cell]:
    style = item_style(block.level, is_paragraph=True) if block.level else "Text"
    return [Cell(content_of(spans(block.text)), style)]


def _item(block: Block) -> list[Cell]:
    style = item_style(block.level, is_numbered=block.number is not None)
    return [Cell(content_of(spans(block.text)), style)]


def _fence(block: Block) -> list[Cell]:
    return cells_of_fence(block.info, block.text)


def _table(block: Block) -> list[Cell]:
    return [table_cell(block.rows, block.aligned)]


def _formula(block: Block) -> list[Cell]:
    made = tex_to_boxes(block.text)
    if made is None:
        return [Cell(f"$${block.text}$$", ("Text", UNKNOWN_TEX))]
    return [Cell(traditional(made), "DisplayFormula", TaggingRules={TEX: block.text})]


def _rule(_block: Block) -> list[Cell]:
    return [Cell("", DELIMITER, **_LINE)]


_KINDS: dict[str, Callable[[Block], list[Cell]]] = {
    "heading": _heading,
    "text": _text,
    "item": _item,
    "fence": _fence,
    "table": _table,
    "formula": _formula,
    "rule": _rule,
}


def _grouped(cells: list[Cell]) -> list[Cell | Group]:
    """Groups of headings and what is below them, and of inputs and what they gave."""
    top: list[Cell | Group] = []
    open_groups: list[tuple[int, list[Cell | Group]]] = [(0, top)]
    at = 0
    while at < len(cells):
        cell = cells[at]
        level = LEVELS.get(cell.style, 0) if QUOTE not in cell.styles else 0
        end = at + 1
        if level:
            while open_groups[-1][0] >= level:
                open_groups.pop()
            inner: list[Cell | Group] = [cell]
            made = Group([])
            made.cells = inner
            open_groups[-1][1].append(made)
            open_groups.append((level, inner))
        else:
            end = _end_of_outputs(cells, at)
            open_groups[-1][1].append(Group(cells[at:end]) if end > at + 1 else cell)
        at = end
    return _without_lone(top)


def _end_of_outputs(cells: list[Cell], at: int) -> int:
    end = at + 1
    if cells[at].style in INPUTS or cells[at].style == "ExternalLanguage":
        while end < len(cells) and cells[end].style in OUTPUTS:
            end += 1
    return end


def _without_lone(cells: list[Cell | Group]) -> list[Cell | Group]:
    """A heading with nothing below it is no group; there are six levels at most."""
    found: list[Cell | Group] = []
    for cell in cells:
        if isinstance(cell, Group):
            cell.cells = _without_lone(cell.cells)
            found.append(cell.cells[0] if len(cell.cells) == 1 else cell)
        else:
            found.append(cell)
    return found
