"""A notebook's text as a tree that can be changed in places, and is otherwise kept to the byte.

A `Leaf` is a cell, or anything else in a list of cells, with its text; a `Branch` is a group, or
the whole notebook. Elements know what stands around them, up to the commas of their list, so that
a list can be put together anew from old elements and new ones.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.collecting import collecting_later
from paddock.wolfram.expressions import Node, has_head
from paddock.wolfram.notebooks.model import Cell, Group, tagging_rules
from paddock.wolfram.notebooks.reading import cell_of, options_of
from paddock.wolfram.notebooks.writing import cells_text, content_text
from paddock.wolfram.parser import parse
from paddock.wolfram.reference_pages.failures import InvalidPageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import Source

_SEPARATION = "\n\n"
_DEEPEST = 100
_COMMENT_SIGN = re.compile(r"\(\*|\*\)|,")
_CACHE = re.compile(r"^\(\*CacheID:[^\n]*\*\)\r?\n", re.MULTILINE)


class Leaf:
    """A cell, or what stands in a list of cells without being one."""

    __slots__ = ("_content", "cell", "lead", "text", "trail")

    def __init__(self, text: str, cell: Cell, content: tuple[int, int] | None) -> None:
        self.text = text
        self.cell = cell
        self._content = content
        self.lead, self.trail = _SEPARATION, ""

    @property
    def style(self) -> str:
        """The style of the cell; empty if it has none."""
        return self.cell.style

    def set_content(self, content: str | Expression) -> None:
        """Have the cell hold something else, with the options that it has."""
        written = content_text(content)
        if self._content is None:
            raise InvalidPageError(f"A {self.style} cell holds nothing that could be replaced")
        start, end = self._content
        self.text = self.text[:start] + written + self.text[end:]
        self._content = (start, start + len(written))
        self.cell.content = content

    def rendered(self) -> Iterator[str]:
        """The text."""
        yield self.text


class Branch:
    """A list of cells with what stands before and after it."""

    __slots__ = ("_filler", "elements", "lead", "prefix", "suffix", "trail")

    def __init__(self, prefix: str, suffix: str, elements: Sequence[Element], filler: str) -> None:
        self.prefix = prefix
        self.suffix = suffix
        self.elements = list(elements)
        self._filler = filler
        self.lead, self.trail = _SEPARATION, ""

    @property
    def style(self) -> str:
        """The style of the first cell, which says what the group is."""
        return self.elements[0].style if self.elements else ""

    def replace(self, start: int, end: int, new: Sequence[Element]) -> None:
        """Put elements in the place of others; of the old ones, some may be among the new."""
        last = self.elements[-1].trail if self.elements else ""
        self.elements[start:end] = new
        for element in self.elements[:-1]:
            element.trail = element.trail if element.trail.strip() else ""
        if self.elements and not self.elements[-1].trail:
            self.elements[-1].trail = last if not last.strip() else ""

    def rendered(self) -> Iterator[str]:
        """The text in pieces."""
        yield self.prefix
        if not self.elements or self._filler.strip():
            yield self._filler
        for place, element in enumerate(self.elements):
            yield f"{',' if place else ''}{element.lead}"
            yield from element.rendered()
            yield element.trail
        yield self.suffix

    def leaves(self) -> Iterator[Place]:
        """All cells in reading order, with where they are."""
        for index, element in enumerate(self.elements):
            if isinstance(element, Branch):
                yield from element.leaves()
            else:
                yield Place(self, index, element)


Element = Leaf | Branch


class Place(NamedTuple):
    """A cell and the list that it stands in."""

    branch: Branch
    at: int
    leaf: Leaf


class Tree:
    """A notebook: what is around its cells, the cells, and its options."""

    def __init__(self, root: Branch, options: dict[str, Expression], newline: str) -> None:
        self.root = root
        self.tagging_rules = tagging_rules(options)
        self._newline = newline

    def text(self) -> str:
        """The text of the file.

        The line that lets a front end trust its outline at the end of the file is left out, since
        the outline is of what was there before.
        """
        text = "".join(self.root.rendered())
        beginning = len(self.root.prefix)
        return _CACHE.sub("", text[:beginning]) + text[beginning:]

    def elements(self, cells: Iterable[Cell | Group]) -> list[Element]:
        """New elements for cells and groups, with the line ends of this notebook."""
        return [_new(cell, self._newline) for cell in cells]


def _new(cell: Cell | Group, newline: str) -> Element:
    source = parse(cells_text([cell]).replace("\n", newline))
    element = _element(source, source.expressions[0], 0)
    element.lead = _SEPARATION.replace("\n", newline)
    return element


def read_tree(text: str) -> Tree:
    """The tree of a notebook's text.

    Raises:
        InvalidPageError: when there is no notebook in it, or something is wrong with it.
    """
    with collecting_later():
        source = parse(text)
        for expression in source.expressions:
            if has_head(expression, "Notebook"):
                _check(source, expression.end)
                return _tree(source, expression)
    raise InvalidPageError("There is no Notebook[…] in it", hint="give a file that ends in .nb")


def _check(source: Source, end: int) -> None:
    """Go on only if nothing is wrong up to the end of the notebook; what follows is a cache."""
    for problem in source.problems:
        if problem.start <= end:
            line, column = source.position(problem.start)
            raise InvalidPageError(
                f"It cannot be edited, because it cannot be read: line {line}, column {column}: "
                f"{problem.message}",
                hint="open and save it in a front end, or mend it by hand",
            )


def _tree(source: Source, notebook: Expression) -> Tree:
    cells = _list(source, notebook)
    if cells is None or not isinstance(notebook, Node):
        raise InvalidPageError("Its cells are not in a list: expected Notebook[{…}, …]")
    root = _branch(source, cells, (0, len(source.text)), 0)
    newline = "\r\n" if "\r\n" in source.text else "\n"
    return Tree(root, options_of(notebook.args[1:]), newline)


def _list(source: Source, expression: Expression) -> Node | None:
    """The list, in braces, that is the first argument."""
    first = expression.args[0] if isinstance(expression, Node) and expression.args else None
    if not isinstance(first, Node) or not has_head(first, "List"):
        return None
    return first if source.text.startswith("{", first.start) else None


def _branch(source: Source, cells: Node, place: tuple[int, int], depth: int) -> Branch:
    """The elements of a list, and the text around it within a place."""
    if depth > _DEEPEST:
        raise InvalidPageError(f"Its groups are nested more than {_DEEPEST} deep")
    begin, finish = cells.start + 1, cells.end - 1
    prefix, suffix = source.text[place[0] : begin], source.text[finish : place[1]]
    if not cells.args:
        return Branch(prefix, suffix, [], source.text[begin:finish])
    elements = [_element(source, one, depth + 1) for one in cells.args]
    at = begin
    for index, one in enumerate(cells.args):
        elements[index].lead = source.text[at : one.start]
        end = finish if index + 1 == len(cells.args) else cells.args[index + 1].start
        comma = _comma(source.text, one.end, end) if index + 1 < len(cells.args) else end
        elements[index].trail = source.text[one.end : comma]
        at = comma + 1
    return Branch(prefix, suffix, elements, "")


def _comma(text: str, start: int, end: int) -> int:
    """Where the comma between two elements is; there may be comments around it."""
    depth = 0
    for found in _COMMENT_SIGN.finditer(text, start, end):
        if found[0] == ",":
            if not depth:
                return found.start()
        else:
            depth += 1 if found[0] == "(*" else -1
    raise InvalidPageError("Its cells are not separated by commas")


def _element(source: Source, expression: Expression, depth: int) -> Element:
    start, end = expression.start, expression.end
    if not 0 <= start < end:
        raise InvalidPageError("There is a comma too many between its cells")
    inner = expression
    if isinstance(inner, Node) and has_head(inner, "Cell") and inner.args:
        inner = inner.args[0]
    if has_head(inner, "CellGroupData"):
        cells = _list(source, inner)
        if cells is not None and cells.args:
            return _branch(source, cells, (start, end), depth)
    cell = cell_of(expression)
    content = None
    if isinstance(expression, Node) and has_head(expression, "Cell") and expression.args:
        first = expression.args[0]
        content = (first.start - start, first.end - start)
    return Leaf(source.text[start:end], cell, content)
