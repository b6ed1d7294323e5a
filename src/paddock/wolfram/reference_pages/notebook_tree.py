"""A notebook's text as a tree that can be changed in places, and is otherwise kept to the byte.

A `Leaf` is a cell, or anything else in a list of cells, with its text; a `Branch` is a group, or
the whole notebook. Elements know what stands around them, up to the commas of their list, so that
a list can be put together anew from old elements and new ones.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import Node, has_head
from paddock.wolfram.notebooks.model import Cell, CellGroup, read_tagging_rules
from paddock.wolfram.notebooks.reader import read_options, to_cell
from paddock.wolfram.notebooks.writer import format_cells, format_content
from paddock.wolfram.parse_state import defer_gc
from paddock.wolfram.parser import parse
from paddock.wolfram.reference_pages.errors import InvalidPageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import ParsedSource

_CELL_SEPARATOR = "\n\n"
_MAX_GROUP_DEPTH = 100
_COMMENT_SIGN = re.compile(r"\(\*|\*\)|,")
_CACHE_ID_LINE = re.compile(r"^\(\*CacheID:[^\n]*\*\)\r?\n", re.MULTILINE)


class CellLeaf:
    """A cell, or what stands in a list of cells without being one."""

    __slots__ = ("_content", "cell", "lead", "text", "trail")

    def __init__(self, text: str, cell: Cell, content: tuple[int, int] | None) -> None:
        self.text = text
        self.cell = cell
        self._content = content
        self.lead, self.trail = _CELL_SEPARATOR, ""

    @property
    def style(self) -> str:
        """The style of the cell; empty if it has none."""
        return self.cell.style

    def set_content(self, content: str | Expression) -> None:
        """Have the cell hold something else, with the options that it has."""
        written = format_content(content)
        if self._content is None:
            raise InvalidPageError(f"A {self.style} cell holds nothing that could be replaced")
        start, end = self._content
        self.text = self.text[:start] + written + self.text[end:]
        self._content = (start, start + len(written))
        self.cell.content = content

    def iter_text(self) -> Iterator[str]:
        """The text."""
        yield self.text


class CellBranch:
    """A list of cells with what stands before and after it."""

    __slots__ = ("_filler", "elements", "lead", "prefix", "suffix", "trail")

    def __init__(
        self, prefix: str, suffix: str, elements: Sequence[CellElement], filler: str
    ) -> None:
        self.prefix = prefix
        self.suffix = suffix
        self.elements = list(elements)
        self._filler = filler
        self.lead, self.trail = _CELL_SEPARATOR, ""

    @property
    def style(self) -> str:
        """The style of the first cell, which says what the group is."""
        return self.elements[0].style if self.elements else ""

    def replace(self, start: int, end: int, new: Sequence[CellElement]) -> None:
        """Put elements in the place of others; of the old ones, some may be among the new."""
        last = self.elements[-1].trail if self.elements else ""
        self.elements[start:end] = new
        for element in self.elements[:-1]:
            element.trail = element.trail if element.trail.strip() else ""
        if self.elements and not self.elements[-1].trail:
            self.elements[-1].trail = last if not last.strip() else ""

    def iter_text(self) -> Iterator[str]:
        """The text in pieces."""
        yield self.prefix
        if not self.elements or self._filler.strip():
            yield self._filler
        for place, element in enumerate(self.elements):
            yield f"{',' if place else ''}{element.lead}"
            yield from element.iter_text()
            yield element.trail
        yield self.suffix

    def iter_positions(self) -> Iterator[CellPosition]:
        """All cells in reading order, with where they are."""
        for index, element in enumerate(self.elements):
            if isinstance(element, CellBranch):
                yield from element.iter_positions()
            else:
                yield CellPosition(self, index, element)


CellElement = CellLeaf | CellBranch


class CellPosition(NamedTuple):
    """A cell and the list that it stands in."""

    branch: CellBranch
    position: int
    leaf: CellLeaf


class NotebookTree:
    """A notebook: what is around its cells, the cells, and its options."""

    def __init__(self, root: CellBranch, options: dict[str, Expression], newline: str) -> None:
        self.root = root
        self.tagging_rules = read_tagging_rules(options)
        self._newline = newline

    def to_text(self) -> str:
        """The text of the file.

        The line that lets a front end trust its outline at the end of the file is left out, since
        the outline is of what was there before.
        """
        text = "".join(self.root.iter_text())
        beginning = len(self.root.prefix)
        return _CACHE_ID_LINE.sub("", text[:beginning]) + text[beginning:]

    def make_elements(self, cells: Iterable[Cell | CellGroup]) -> list[CellElement]:
        """New elements for cells and groups, with the line ends of this notebook."""
        return [_make_element(cell, self._newline) for cell in cells]


def _make_element(cell: Cell | CellGroup, newline: str) -> CellElement:
    source = parse(format_cells([cell]).replace("\n", newline))
    element = _build_element(source, source.expressions[0], 0)
    element.lead = _CELL_SEPARATOR.replace("\n", newline)
    return element


def parse_tree(text: str) -> NotebookTree:
    """The tree of a notebook's text.

    Raises:
        InvalidPageError: when there is no notebook in it, or something is wrong with it.
    """
    with defer_gc():
        source = parse(text)
        for expression in source.expressions:
            if has_head(expression, "Notebook"):
                _check_problems(source, expression.end)
                return _build_tree(source, expression)
    raise InvalidPageError("There is no Notebook[…] in it", hint="give a file that ends in .nb")


def _check_problems(source: ParsedSource, end: int) -> None:
    """Go on only if nothing is wrong up to the end of the notebook; what follows is a cache."""
    for problem in source.problems:
        if problem.start <= end:
            line, column = source.get_position(problem.start)
            raise InvalidPageError(
                f"It cannot be edited, because it cannot be read: line {line}, column {column}: "
                f"{problem.message}",
                hint="open and save it in a front end, or mend it by hand",
            )


def _build_tree(source: ParsedSource, notebook: Expression) -> NotebookTree:
    cells = _get_cell_list(source, notebook)
    if cells is None or not isinstance(notebook, Node):
        raise InvalidPageError("Its cells are not in a list: expected Notebook[{…}, …]")
    root = _build_branch(source, cells, (0, len(source.text)), 0)
    newline = "\r\n" if "\r\n" in source.text else "\n"
    return NotebookTree(root, read_options(notebook.args[1:]), newline)


def _get_cell_list(source: ParsedSource, expression: Expression) -> Node | None:
    """The list, in braces, that is the first argument."""
    first = expression.args[0] if isinstance(expression, Node) and expression.args else None
    if not has_head(first, "List"):
        return None
    return first if source.text.startswith("{", first.start) else None


def _build_branch(
    source: ParsedSource, cells: Node, place: tuple[int, int], depth: int
) -> CellBranch:
    """The elements of a list, and the text around it within a place."""
    if depth > _MAX_GROUP_DEPTH:
        raise InvalidPageError(f"Its groups are nested more than {_MAX_GROUP_DEPTH} deep")
    begin, finish = cells.start + 1, cells.end - 1
    prefix, suffix = source.text[place[0] : begin], source.text[finish : place[1]]
    if not cells.args:
        return CellBranch(prefix, suffix, [], source.text[begin:finish])
    elements = [_build_element(source, one, depth + 1) for one in cells.args]
    at = begin
    for index, one in enumerate(cells.args):
        elements[index].lead = source.text[at : one.start]
        end = finish if index + 1 == len(cells.args) else cells.args[index + 1].start
        comma = _find_comma(source.text, one.end, end) if index + 1 < len(cells.args) else end
        elements[index].trail = source.text[one.end : comma]
        at = comma + 1
    return CellBranch(prefix, suffix, elements, "")


def _find_comma(text: str, start: int, end: int) -> int:
    """Where the comma between two elements is; there may be comments around it."""
    depth = 0
    for found in _COMMENT_SIGN.finditer(text, start, end):
        if found[0] == ",":
            if not depth:
                return found.start()
        else:
            depth += 1 if found[0] == "(*" else -1
    raise InvalidPageError("Its cells are not separated by commas")


def _build_element(source: ParsedSource, expression: Expression, depth: int) -> CellElement:
    start, end = expression.start, expression.end
    if not 0 <= start < end:
        raise InvalidPageError("There is a comma too many between its cells")
    inner = expression
    if has_head(inner, "Cell") and inner.args:
        inner = inner.args[0]
    if has_head(inner, "CellGroupData"):
        cells = _get_cell_list(source, inner)
        if cells is not None and cells.args:
            return _build_branch(source, cells, (start, end), depth)
    cell = to_cell(expression)
    content = None
    if has_head(expression, "Cell") and expression.args:
        first = expression.args[0]
        content = (first.start - start, first.end - start)
    return CellLeaf(source.text[start:end], cell, content)
