"""From a notebook to markdown: what a person or a model needs to see of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.collecting import collecting_later
from paddock.wolfram.expressions import Atom, Node, has_head
from paddock.wolfram.notebooks.fences import CODE_STYLES, OUTPUTS, cut, fenced
from paddock.wolfram.notebooks.linear_forms import unwrapped
from paddock.wolfram.notebooks.phrases import phrases
from paddock.wolfram.notebooks.pictures import Picture, Pictures
from paddock.wolfram.notebooks.runs import plain_text
from paddock.wolfram.notebooks.styles import ITEMS, LEVELS, QUOTES
from paddock.wolfram.notebooks.tables import grid_of, table
from paddock.wolfram.notebooks.text_data import UNKNOWN_TEX, formula_of, runs_of
from paddock.wolfram.text import number_value

if TYPE_CHECKING:
    from paddock.wolfram.notebooks.fences import Fenced
    from paddock.wolfram.notebooks.model import Cell, Notebook
    from paddock.wolfram.notebooks.styles import ItemStyle

OUTPUT_LIMIT = 500
CELL_LIMIT = 10_000
MOST_PICTURES = 20
_GRAPHICS = ("GraphicsBox", "Graphics3DBox", "GraphicsData")
_TICKS = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)


class Markdown(NamedTuple):
    """The text, and the pictures in it that have pixels."""

    text: str
    pictures: list[Picture]


class _Block:
    """Some lines of markdown, or the cells of a fence."""

    __slots__ = ("fence", "info", "list", "quote", "text")

    def __init__(self, text: str, quote: int, *, items: str = "") -> None:
        self.text = text
        self.quote = quote
        self.list = items
        """Items with the same text here go on in one list; empty for what is no item."""
        self.info = ""
        self.fence: list[str] = []


def notebook_to_markdown(
    notebook: Notebook,
    *,
    output_limit: int = OUTPUT_LIMIT,
    cell_limit: int = CELL_LIMIT,
    most_pictures: int = MOST_PICTURES,
) -> Markdown:
    """A notebook as markdown.

    What evaluations gave is cut off after `output_limit` characters, every other cell after
    `cell_limit`. Pictures become placeholders; the first `most_pictures` that have pixels are
    returned too.
    """
    page = _Page(output_limit, cell_limit, Pictures(most_pictures))
    with collecting_later():
        for cell in notebook:
            page.add(cell)
    return Markdown(page.text(), page.pictures.found)


class _Page:
    def __init__(self, output_limit: int, cell_limit: int, pictures: Pictures) -> None:
        self._output_limit = output_limit
        self._cell_limit = cell_limit
        self.pictures = pictures
        self._blocks: list[_Block] = []
        self._numbers: dict[int, int] = {}
        self._lists = 0
        self._last_items = [""]
        """The signs of the last items by level, from 1."""
        self._depth = 0
        """The level of the item that a paragraph would belong to; more indented, it was code."""

    def add(self, cell: Cell) -> None:
        """Take the next cell."""
        quote = sum(style in QUOTES for style in cell.styles)
        item = ITEMS.get(cell.style)
        if item is None:
            self._numbers.clear()
            self._depth = 0
            self._add(cell, quote)
        else:
            if self._blocks and self._blocks[-1].quote != quote:
                self._depth = 0
            self._add_item(cell, item, self._phrases(cell), quote)

    def _add(self, cell: Cell, quote: int) -> None:
        if cell.style in CODE_STYLES and not self._is_picture(cell):
            self._add_code(fenced(cell, self._limit(cell), self.pictures.placeholder), quote)
        elif cell.style in LEVELS:
            text = self._phrases(cell).replace("\\\n", " ").replace("\n", " ")
            self._blocks.append(_Block(f"{'#' * LEVELS[cell.style]} {text}".rstrip(), quote))
        elif text := self._paragraph(cell):
            self._blocks.append(_Block(text, quote))

    def _limit(self, cell: Cell) -> int:
        return self._output_limit if cell.style in OUTPUTS else self._cell_limit

    def _is_picture(self, cell: Cell) -> bool:
        """Whether a cell without a label is a picture and nothing else."""
        inner = unwrapped(cell.content) if isinstance(cell.content, Node) else None
        if cell.label or not isinstance(inner, Node) or not isinstance(inner.head, Atom):
            return False
        return inner.head.text in _GRAPHICS

    def _paragraph(self, cell: Cell) -> str:
        content = cell.content
        if _is_delimiter(cell):
            return "---"
        if isinstance(content, str):
            return content if UNKNOWN_TEX in cell.styles else self._phrases(cell)
        tex = formula_of(cell)
        if tex is not None:
            return f"$$\n{tex}\n$$" if "\n" in tex else f"$${tex}$$"
        grid = grid_of(content)
        if grid is not None:
            return table(grid, self.pictures.placeholder)
        if has_head(content, "BoxData") and not self._is_picture(cell):
            self._add_code(fenced(cell, self._cell_limit, self.pictures.placeholder), 0)
            return ""
        return self._phrases(cell)

    def _phrases(self, cell: Cell) -> str:
        """The text of a cell; of one that is too long only its beginning, without looks."""
        runs = runs_of(cell.content, self.pictures.placeholder)
        if sum(len(run.text) for run in runs) > self._cell_limit:
            runs = [runs[0]._replace(text=cut(plain_text(runs), self._cell_limit), kind="text")]
        return phrases(runs)

    def _add_code(self, code: Fenced, quote: int) -> None:
        last = self._blocks[-1] if self._blocks else None
        text = code.text
        if code.label:
            text = f"{code.label}\n{text}" if "\n" in text else f"{code.label} {text}".rstrip()
        is_same = last is not None and (last.info, last.quote) == (code.info, quote)
        if last is not None and last.fence and code.label and is_same:
            last.fence.append(text)
            return
        block = _Block("", quote)
        block.fence, block.info = [text], code.info
        self._blocks.append(block)

    def _add_item(self, cell: Cell, item: ItemStyle, text: str, quote: int) -> None:
        for deeper in [level for level in self._numbers if level > item.level]:
            del self._numbers[deeper]
        indent = "\t" * (item.level - 1)
        if item.is_paragraph:
            if not text:
                return
            self._depth = min(self._depth, item.level)
            indent = "\t" * self._depth
            lines = text.replace("\n", f"\n{indent}")
            self._blocks.append(_Block(f"{indent}{lines}", quote))
            return
        self._depth = item.level
        sign = self._sign(cell, item)
        lines = text.replace("\n", f"\n{indent}  ")
        # A list that does not begin with 1 needs a blank line before it, and so does a new one.
        self._lists += _assigned(cell) is not None or self._is_other_list(item)
        self._last_items[item.level :] = [sign[-1]]
        self._blocks.append(
            _Block(f"{indent}{sign} {lines}".rstrip(), quote, items=str(self._lists))
        )

    def _is_other_list(self, item: ItemStyle) -> bool:
        before = self._last_items[item.level : item.level + 1]
        return before not in ([], ["." if item.is_numbered else "*"])

    def _sign(self, cell: Cell, item: ItemStyle) -> str:
        if not item.is_numbered:
            self._numbers.pop(item.level, None)
            return "*"
        before = _assigned(cell)
        number = (self._numbers.get(item.level, 0) if before is None else before) + 1
        self._numbers[item.level] = number
        return f"{number}."

    def text(self) -> str:
        """All blocks, one below the other."""
        pieces: list[str] = []
        last: _Block | None = None
        for block in self._blocks:
            if last is not None:
                is_list = last.list and last.list == block.list and last.quote == block.quote
                pieces.append("\n" if is_list else f"\n{'>' * min(last.quote, block.quote)}\n")
            pieces.append(_quoted(_rendered(block), block.quote))
            last = block
        return "".join([*pieces, "\n"]) if pieces else ""


def _rendered(block: _Block) -> str:
    if not block.fence:
        return block.text
    text = "\n\n".join(block.fence)
    longest = max((len(found[1]) for found in _TICKS.finditer(text)), default=0)
    ticks = "`" * max(3, longest + 1)
    return f"{ticks}{block.info}\n{text}\n{ticks}"


def _quoted(text: str, depth: int) -> str:
    if not depth:
        return text
    sign = "> " * depth
    return "\n".join(f"{sign}{line}".rstrip() for line in text.split("\n"))


def _is_delimiter(cell: Cell) -> bool:
    if "Delimiter" in cell.style or cell.style == "PageBreak":
        return True
    is_line = "CellFrame" in cell.options and "CellSize" in cell.options
    return cell.content == "" and is_line


def _assigned(cell: Cell) -> int | None:
    """The number that a cell sets its counter to."""
    found = cell.options.get("CounterAssignments")
    pair = found.args[0] if isinstance(found, Node) and found.args else None
    last = pair.args[-1] if isinstance(pair, Node) and pair.args else None
    value = number_value(last.text) if isinstance(last, Atom) else None
    return value if isinstance(value, int) else None
