"""Conversion of notebooks to Markdown."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from paddock.reports.text import format_code_block
from paddock.wolfram.expressions import Atom, Node, has_head
from paddock.wolfram.literals import parse_number
from paddock.wolfram.notebooks.box_text import find_graphics
from paddock.wolfram.notebooks.cell_images import CellImage, CellImageCollector
from paddock.wolfram.notebooks.cell_markdown import (
    CODE_STYLES,
    OUTPUT_STYLES,
    find_grid,
    format_runs,
    format_table,
    to_code_fence,
    truncate_text,
)
from paddock.wolfram.notebooks.model import (
    HEADING_LEVELS,
    ITEM_STYLES,
    QUOTE_STYLES,
    TextRun,
)
from paddock.wolfram.notebooks.text_data import UNPARSED_TEX_STYLE, find_formula_tex, to_runs
from paddock.wolfram.parse_state import defer_gc

if TYPE_CHECKING:
    from paddock.wolfram.notebooks.cell_markdown import CodeFence
    from paddock.wolfram.notebooks.model import Cell, ItemStyle, Notebook

MAX_OUTPUT_CHARACTERS = 500
MAX_CELL_CHARACTERS = 10_000
MAX_IMAGES = 20


class NotebookMarkdown(NamedTuple):
    """A notebook's Markdown text and the raster images it refers to."""

    text: str
    images: list[CellImage]


@dataclass(slots=True)
class _OutputBlock:
    """A block of Markdown output: a paragraph, a list item, or consecutive code cells."""

    text: str
    quote_depth: int
    """The number of block quotes that contain the block."""
    list_key: int | None = None
    """The number of the list to which an item belongs, or None for other blocks."""
    info: str = ""
    """The info string of a code fence, such as `wl`."""
    fence: list[str] = field(default_factory=list)
    """The texts of code cells that share a fence. They are written instead of `text`."""


def notebook_to_markdown(
    notebook: Notebook,
    *,
    output_limit: int = MAX_OUTPUT_CHARACTERS,
    cell_limit: int = MAX_CELL_CHARACTERS,
    most_pictures: int = MAX_IMAGES,
) -> NotebookMarkdown:
    """Convert a notebook to Markdown.

    Args:
        notebook: The notebook.
        output_limit: Maximum characters of an output cell. The rest is cut off with a note.
        cell_limit: Maximum characters of any other cell.
        most_pictures: Maximum number of raster images to return. All graphics become
            placeholders in the text.
    """
    writer = _MarkdownWriter(output_limit, cell_limit, CellImageCollector(most_pictures))
    # All objects created here are used until the end, so garbage collection would free nothing.
    with defer_gc():
        for cell in notebook:
            writer.add_cell(cell)
    return NotebookMarkdown(writer.to_text(), writer.images.images)


class _MarkdownWriter:
    """Writer that collects the Markdown blocks of the cells, and the images they refer to.

    Args:
        output_limit: The maximum number of characters of an output cell.
        cell_limit: The maximum number of characters of any other cell.
        images: Collects the images and makes their placeholders.
    """

    def __init__(self, output_limit: int, cell_limit: int, images: CellImageCollector) -> None:
        self._output_limit = output_limit
        self._cell_limit = cell_limit
        self.images = images
        self._blocks: list[_OutputBlock] = []
        self._items = _ItemFormatter()

    def add_cell(self, cell: Cell) -> None:
        """Append a cell as a list item, as code, as a heading or as a paragraph.

        The choice depends on the cell's style, such as `Item` or `Section`.
        """
        quote_depth = sum(style in QUOTE_STYLES for style in cell.styles)
        item = ITEM_STYLES.get(cell.style)
        if item is None:
            self._items.end_list()
            self._add_block(cell, quote_depth)
            return
        # In Markdown, a change of quotation depth ends the list.
        if self._blocks and self._blocks[-1].quote_depth != quote_depth:
            self._items.end_item()
        text = self._format_text(cell)
        if not item.is_paragraph:
            markdown = self._items.format_item(cell, item, text)
            self._blocks.append(_OutputBlock(markdown, quote_depth, self._items.list_key))
        elif markdown := self._items.format_paragraph(item, text):
            self._blocks.append(_OutputBlock(markdown, quote_depth))

    def _add_block(self, cell: Cell, quote_depth: int) -> None:
        """Append a cell that is not a list item: as code, as a heading or as a paragraph."""
        if cell.style in CODE_STYLES and not _is_image(cell):
            limit = self._output_limit if cell.style in OUTPUT_STYLES else self._cell_limit
            self._add_code(to_code_fence(cell, limit, self.images.make_placeholder), quote_depth)
        elif cell.style in HEADING_LEVELS:
            # A Markdown heading is a single line.
            title = self._format_text(cell).replace("\\\n", " ").replace("\n", " ")
            heading = f"{'#' * HEADING_LEVELS[cell.style]} {title}".rstrip()
            self._blocks.append(_OutputBlock(heading, quote_depth))
        elif text := self._format_paragraph(cell):
            self._blocks.append(_OutputBlock(text, quote_depth))

    def _format_paragraph(self, cell: Cell) -> str:
        """Return the Markdown of a cell with a delimiter, a formula, a table or text.

        If the cell contains other boxes, it is appended as code, and the returned text is empty.
        """
        content = cell.content
        if _is_delimiter(cell):
            return "---"
        # A formula with unsupported TeX is stored as Markdown and must not be escaped.
        if isinstance(content, str):
            return content if UNPARSED_TEX_STYLE in cell.styles else self._format_text(cell)
        tex = find_formula_tex(cell)
        if tex is not None:
            return f"$$\n{tex}\n$$" if "\n" in tex else f"$${tex}$$"
        grid = find_grid(content)
        if grid is not None:
            return format_table(grid, self.images.make_placeholder)
        if has_head(content, "BoxData") and not _is_image(cell):
            self._add_code(to_code_fence(cell, self._cell_limit, self.images.make_placeholder), 0)
            return ""
        return self._format_text(cell)

    def _format_text(self, cell: Cell) -> str:
        """Return the text of a cell as Markdown.

        Text that exceeds the limit is truncated and loses its styles.
        """
        runs = to_runs(cell.content, self.images.make_placeholder)
        text = "".join(run.text for run in runs)
        if len(text) > self._cell_limit:
            text_run = TextRun(truncate_text(text, self._cell_limit), style=runs[0].style)
            return format_runs([text_run])
        return format_runs(runs)

    def _add_code(self, code: CodeFence, quote_depth: int) -> None:
        """Append a code cell in a fence.

        A cell with a label such as `In[2]:=` joins the fence of the preceding code cell, because
        the label shows where the cell begins.
        """
        text = code.text
        if code.label:
            text = f"{code.label}\n{text}" if "\n" in text else f"{code.label} {text}".rstrip()
        previous = self._blocks[-1] if self._blocks else _OutputBlock("", 0)
        has_same_fence = (previous.info, previous.quote_depth) == (code.info, quote_depth)
        if previous.fence and code.label and has_same_fence:
            previous.fence.append(text)
        else:
            self._blocks.append(_OutputBlock("", quote_depth, info=code.info, fence=[text]))

    def to_text(self) -> str:
        """Return the Markdown text of all blocks added so far."""
        pieces: list[str] = []
        for previous, block in zip([None, *self._blocks], self._blocks, strict=False):
            if previous is not None:
                pieces.append(_get_separator(previous, block))
            pieces.append(_render_block(block))
        return "".join([*pieces, "\n"]) if pieces else ""


class _ItemFormatter:
    """Formatter for list items, whose markers and indents depend on the preceding items."""

    def __init__(self) -> None:
        self.list_key = 0
        """The number of the current list, incremented when another list begins."""
        self._last_numbers: dict[int, int] = {}
        """The last number at each level of the current list. The outermost level is 1."""
        self._last_markers = [""]
        """The kind of the last item at each level: `*`, or `.` for a numbered item."""
        self._item_level = 0
        """The level of the item to which a paragraph belongs, which limits its indentation.

        A deeper indentation would make the paragraph code.
        """

    def end_list(self) -> None:
        """Restart the numbering, because another kind of cell follows."""
        self._last_numbers.clear()
        self.end_item()

    def end_item(self) -> None:
        """End the current item, so that the next paragraph does not belong to it."""
        self._item_level = 0

    def format_item(self, cell: Cell, item: ItemStyle, text: str) -> str:
        """Return the Markdown of a list item, such as `2. text`, and count it.

        Args:
            cell: The cell of the item.
            item: The meaning of the cell's style: its level, and if it is numbered.
            text: The Markdown of the cell's text.
        """
        self._restart_deeper_levels(item.level)
        self._item_level = item.level
        assigned_number = _get_assigned_number(cell)
        marker = self._get_marker(item, assigned_number)
        last_marker = self._last_markers[item.level : item.level + 1]
        # Markdown continues a list unless a blank line and another marker or number separate it.
        if assigned_number is not None or last_marker not in ([], [marker[-1]]):
            self.list_key += 1
        self._last_markers[item.level :] = [marker[-1]]
        indent = "\t" * (item.level - 1)
        # Other lines are indented like the item's text. Otherwise, they would not belong to it.
        lines = text.replace("\n", f"\n{indent}  ")
        return f"{indent}{marker} {lines}".rstrip()

    def _get_marker(self, item: ItemStyle, assigned_number: int | None) -> str:
        """Return the marker of a list item: `*`, or the next number such as `2.`.

        Args:
            item: The meaning of the cell's style: its level, and if it is numbered.
            assigned_number: The number that the cell assigns to its counter before it is
                incremented, or None.
        """
        if not item.is_numbered:
            self._last_numbers.pop(item.level, None)
            return "*"
        last_number = self._last_numbers.get(item.level, 0)
        number = (last_number if assigned_number is None else assigned_number) + 1
        self._last_numbers[item.level] = number
        return f"{number}."

    def format_paragraph(self, item: ItemStyle, text: str) -> str:
        """Return the Markdown of a paragraph that continues a list item, indented like the item.

        The result is empty if the paragraph has no text.
        """
        self._restart_deeper_levels(item.level)
        if not text:
            return ""
        self._item_level = min(self._item_level, item.level)
        indent = "\t" * self._item_level
        lines = text.replace("\n", f"\n{indent}")
        return f"{indent}{lines}"

    def _restart_deeper_levels(self, level: int) -> None:
        """Restart the numbering of items nested below a new item."""
        self._last_numbers = {
            item_level: number
            for item_level, number in self._last_numbers.items()
            if item_level <= level
        }


def _get_separator(previous: _OutputBlock, block: _OutputBlock) -> str:
    """Return the text between two blocks: a line end within a list, otherwise a blank line.

    The blank line has the `>` signs of the block quotes that contain both blocks, so that these
    quotes continue.
    """
    is_same_list = previous.list_key is not None and previous.list_key == block.list_key
    if is_same_list and previous.quote_depth == block.quote_depth:
        return "\n"
    return f"\n{'>' * min(previous.quote_depth, block.quote_depth)}\n"


def _render_block(block: _OutputBlock) -> str:
    """Return the Markdown of a block, with the `>` signs of its block quotes before each line."""
    text = block.text
    if block.fence:
        text = format_code_block("\n\n".join(block.fence), block.info)
    if not block.quote_depth:
        return text
    prefix = "> " * block.quote_depth
    return "\n".join(f"{prefix}{line}".rstrip() for line in text.split("\n"))


def _is_image(cell: Cell) -> bool:
    """Return whether a cell is an image without a label."""
    content = cell.content
    return isinstance(content, Node) and not cell.label and find_graphics(content) is not None


def _is_delimiter(cell: Cell) -> bool:
    if "Delimiter" in cell.style or cell.style == "PageBreak":
        return True
    # Some notebooks have delimiters without that style: empty cells with a frame.
    is_line = "CellFrame" in cell.options and "CellSize" in cell.options
    return cell.content == "" and is_line


def _get_assigned_number(cell: Cell) -> int | None:
    """Return the number to which a cell of a numbered list sets its counter, or None.

    The option `CounterAssignments -> {{"ItemNumbered", 2}}` sets the counter to 2.
    """
    match cell.options.get("CounterAssignments"):
        case Node(args=[Node(args=[*_, Atom(text=number)]), *_]):
            value = parse_number(number)
            return value if isinstance(value, int) else None
        case _:
            return None
