"""Converts Markdown to notebooks: blocks become cells, and headings start groups."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import symbol
from paddock.wolfram.notebooks.block_parser import parse_blocks
from paddock.wolfram.notebooks.cell_markdown import (
    INPUT_STYLES,
    OUTPUT_STYLES,
    make_table_cell,
    parse_fence_cells,
)
from paddock.wolfram.notebooks.inline_parser import parse_inline
from paddock.wolfram.notebooks.model import (
    DELIMITER_STYLE,
    HEADING_LEVELS,
    HEADING_STYLES,
    QUOTE_STYLE,
    Cell,
    CellGroup,
    Notebook,
    get_item_style,
    to_expression,
)
from paddock.wolfram.notebooks.tex_parser import tex_to_boxes
from paddock.wolfram.notebooks.text_data import (
    TEX_KEY,
    UNPARSED_TEX_STYLE,
    make_traditional_form,
    runs_to_content,
)
from paddock.wolfram.parse_state import defer_gc

if TYPE_CHECKING:
    from paddock.wolfram.notebooks.block_parser import MarkdownBlock

_BYTE_ORDER_MARK = "\ufeff"
_DELIMITER_OPTIONS = {
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
    """Convert Markdown text to a notebook.

    Some Markdown, such as the TeX source of a formula, is also stored in the tagging rules (the
    metadata) of its cell. `notebook_to_markdown` restores it from there.
    """
    cells: list[Cell] = []
    last_numbers: dict[int, int] = {}
    with defer_gc():
        for block in parse_blocks(markdown.removeprefix(_BYTE_ORDER_MARK)):
            for cell in _make_cells(block):
                _set_item_number(cell, block, last_numbers)
                # The style is repeated to encode the quotation depth, because cells cannot be
                # nested.
                cell.styles += (QUOTE_STYLE,) * block.quote_depth
                cells.append(cell)
    return Notebook(_group_cells(cells), StyleDefinitions="Default.nb")


def _set_item_number(cell: Cell, block: MarkdownBlock, last_numbers: dict[int, int]) -> None:
    """Set a list item's number in its cell, unless the notebook's automatic count matches it.

    Args:
        cell: The cell of the block.
        block: A block of any kind. Blocks outside lists end the numbering.
        last_numbers: The last number at each level of the current list. This function updates it.
    """
    is_in_list = block.kind == "item" or (block.kind == "text" and block.level > 0)
    # Any other block ends the list, and a new item restarts the numbering of deeper levels.
    for level in list(last_numbers):
        if not is_in_list or level > block.level:
            del last_numbers[level]
    if block.kind != "item":
        return
    if block.number is None:
        last_numbers.pop(block.level, None)
        return
    if block.number != last_numbers.get(block.level, 0) + 1:
        # The front end increments the counter before it displays the number.
        previous_number = block.number - 1
        cell.options["CounterAssignments"] = to_expression([[cell.style, previous_number]])
    last_numbers[block.level] = block.number


def _make_cells(block: MarkdownBlock) -> list[Cell]:
    """Convert a Markdown block to notebook cells. Only a code fence can contain multiple cells."""
    match block.kind:
        case "fence":
            return parse_fence_cells(block.info, block.text)
        case "table":
            return [make_table_cell(block.rows, block.alignments)]
        case "formula":
            return [_make_formula_cell(block.text)]
        case "rule":
            return [Cell("", DELIMITER_STYLE, **_DELIMITER_OPTIONS)]
        case "heading" | "item" | "text":
            return [Cell(runs_to_content(parse_inline(block.text)), _get_text_style(block))]


def _get_text_style(block: MarkdownBlock) -> str:
    """Return the cell style for a heading, a list item or a paragraph, such as `Section`."""
    if block.kind == "heading":
        return HEADING_STYLES[block.level - 1]
    if block.kind == "item":
        return get_item_style(block.level, is_numbered=block.number is not None)
    # A paragraph within an item has the item's level.
    return get_item_style(block.level, is_paragraph=True) if block.level else "Text"


def _make_formula_cell(tex: str) -> Cell:
    boxes = tex_to_boxes(tex)
    if boxes is None:
        return Cell(f"$${tex}$$", ("Text", UNPARSED_TEX_STYLE))
    return Cell(make_traditional_form(boxes), "DisplayFormula", TaggingRules={TEX_KEY: tex})


class _OpenGroup(NamedTuple):
    """The open section of a heading, which cells are still added to."""

    level: int
    """The level of the heading, or 0 for the notebook itself."""
    cells: list[Cell | CellGroup]


def _group_cells(cells: list[Cell]) -> list[Cell | CellGroup]:
    """Group each heading with the cells of its section, and each input cell with its outputs.

    Front ends display these groups with brackets that open and close them.
    """
    open_groups = [_OpenGroup(0, [])]
    notebook_cells = open_groups[0].cells
    index = 0
    while index < len(cells):
        cell = cells[index]
        # Headings in quotations are part of the quotation, so they do not start a group.
        level = HEADING_LEVELS.get(cell.style, 0) if QUOTE_STYLE not in cell.styles else 0
        if level:
            # A heading ends all groups at the same or deeper levels.
            while open_groups[-1].level >= level:
                open_groups.pop()
            group = CellGroup([cell])
            open_groups[-1].cells.append(group)
            open_groups.append(_OpenGroup(level, group.cells))
            index += 1
        else:
            end = _find_outputs_end(cells, index)
            open_groups[-1].cells.append(CellGroup(cells[index:end]))
            index = end
    return _unwrap_single_groups(notebook_cells)


def _find_outputs_end(cells: list[Cell], index: int) -> int:
    """Return the index after the last output that follows an input."""
    end = index + 1
    if cells[index].style in INPUT_STYLES or cells[index].style == "ExternalLanguage":
        while end < len(cells) and cells[end].style in OUTPUT_STYLES:
            end += 1
    return end


def _unwrap_single_groups(cells: list[Cell | CellGroup]) -> list[Cell | CellGroup]:
    """Replace each group that contains a single cell with this cell.

    The recursion is shallow, because headings have at most six levels.
    """
    unwrapped: list[Cell | CellGroup] = []
    for cell in cells:
        if isinstance(cell, CellGroup):
            cell.cells = _unwrap_single_groups(cell.cells)
            unwrapped.append(cell.cells[0] if len(cell.cells) == 1 else cell)
        else:
            unwrapped.append(cell)
    return unwrapped
