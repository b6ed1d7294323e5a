"""A notebook's source as an editable tree that preserves unchanged text byte for byte.

A `CellLeaf` is a cell, or any other element of a list of cells; a `CellBranch` is a group, or the
whole notebook. Elements include the text around them up to the commas of their list, so a list can
be reassembled from old and new elements.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import Node, has_head
from paddock.wolfram.notebooks.model import Cell, CellGroup, read_options, read_tagging_rules
from paddock.wolfram.notebooks.nb_format import format_cells, format_content, to_cell
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
    """A cell of an editable notebook, with its source text.

    `lead` and `trail` are the text before and after the cell, up to the commas of its list. They
    can contain whitespace and comments, which an edit preserves.

    Args:
        text: The source text of the cell.
        cell: The parsed cell.
        content_span: The start and end of the cell's content in `text`, or None without content.
    """

    __slots__ = ("_content_span", "cell", "lead", "text", "trail")

    def __init__(self, text: str, cell: Cell, content_span: tuple[int, int] | None) -> None:
        self.text = text
        self.cell = cell
        self._content_span = content_span
        self.lead, self.trail = _CELL_SEPARATOR, ""

    @property
    def style(self) -> str:
        """The cell's style, or an empty string if it has no style."""
        return self.cell.style

    def set_content(self, content: str | Expression) -> None:
        """Replace the content of the cell in its source text. The options are unchanged.

        Raises:
            InvalidPageError: The cell has no content to replace.
        """
        content_text = format_content(content)
        if self._content_span is None:
            raise InvalidPageError(f"A cell with the style {self.style} has no content to replace")
        start, end = self._content_span
        self.text = self.text[:start] + content_text + self.text[end:]
        # Update the span, so that the content can be replaced again.
        self._content_span = (start, start + len(content_text))
        self.cell.content = content

    def iter_text(self) -> Iterator[str]:
        """Yield the source text of the cell, as `CellBranch.iter_text` does for a group."""
        yield self.text


class CellBranch:
    """A list of cells with the text before and after it.

    An element's `lead` and `trail` are the text around it, up to the commas of its list. `_filler`
    is the text between the braces of an empty list.
    """

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
        """The style of the first cell, which identifies the group."""
        return self.elements[0].style if self.elements else ""

    def replace(self, start: int, end: int, new_elements: Sequence[CellElement]) -> None:
        """Replace a range of elements, by index, with new ones, which may include old ones.

        Afterwards, only the last element has whitespace after it, before the closing brace.
        Comments after elements are kept.
        """
        last_trail = self.elements[-1].trail if self.elements else ""
        self.elements[start:end] = new_elements
        for element in self.elements[:-1]:
            if element.trail.isspace():
                element.trail = ""
        is_last_trail_blank = not last_trail.strip()
        if self.elements and not self.elements[-1].trail and is_last_trail_blank:
            self.elements[-1].trail = last_trail

    def iter_text(self) -> Iterator[str]:
        """Yield the source text of the list in pieces, with commas between its elements."""
        yield self.prefix
        # Keep the text of an empty list if it contains comments, even if elements were added.
        if not self.elements or self._filler.strip():
            yield self._filler
        for index, element in enumerate(self.elements):
            yield f"{',' if index else ''}{element.lead}"
            yield from element.iter_text()
            yield element.trail
        yield self.suffix

    def iter_positions(self) -> Iterator[CellPosition]:
        """Yield all cells in reading order with their positions."""
        for index, element in enumerate(self.elements):
            if isinstance(element, CellBranch):
                yield from element.iter_positions()
            else:
                yield CellPosition(self, index, element)


CellElement = CellLeaf | CellBranch


class CellPosition(NamedTuple):
    """A cell and its position in a list."""

    branch: CellBranch
    position: int
    leaf: CellLeaf


class NotebookTree:
    """An editable notebook, whose unchanged parts keep their exact source text.

    Args:
        root: The list of cells, with the text of the file around it.
        options: The options of the notebook.
        newline: The line end of the file.
    """

    def __init__(self, root: CellBranch, options: dict[str, Expression], newline: str) -> None:
        self.root = root
        self.tagging_rules = read_tagging_rules(options)
        self._newline = newline

    def to_text(self) -> str:
        """Return the text of the notebook file.

        The `CacheID` line is removed, because it makes front ends rely on the cell offsets at the
        end of the file, which an edit invalidates.
        """
        text = "".join(self.root.iter_text())
        prefix_length = len(self.root.prefix)
        return _CACHE_ID_LINE.sub("", text[:prefix_length]) + text[prefix_length:]

    def make_elements(self, cells: Iterable[Cell | CellGroup]) -> list[CellElement]:
        """Create elements for cells and groups, with this notebook's line ends."""
        return [_make_element(cell, self._newline) for cell in cells]


def _make_element(cell: Cell | CellGroup, newline: str) -> CellElement:
    """Build the element of a new cell by parsing its text, as for cells of an existing file."""
    source = parse(format_cells([cell]).replace("\n", newline))
    element = _build_element(source, source.expressions[0], 0)
    element.lead = _CELL_SEPARATOR.replace("\n", newline)
    return element


def parse_tree(text: str) -> NotebookTree:
    """Parse the text of a notebook file into a tree of cells with their source text.

    Raises:
        InvalidPageError: The text contains no notebook, or has syntax errors.
    """
    with defer_gc():
        source = parse(text)
        for expression in source.expressions:
            if has_head(expression, "Notebook"):
                _check_problems(source, expression.end)
                return _build_tree(source, expression)
    raise InvalidPageError("The file contains no Notebook[…]", hint="use a .nb file")


def _check_problems(source: ParsedSource, end: int) -> None:
    """Raise an error if a notebook has a syntax error.

    Args:
        source: The parsed file.
        end: The end of the notebook. The text after it is the front end's cache, where errors do no
            harm.

    Raises:
        InvalidPageError: The notebook has a syntax error.
    """
    for problem in source.problems:
        if problem.start <= end:
            line, column = source.get_position(problem.start)
            raise InvalidPageError(
                f"The notebook cannot be edited because of a syntax error: line {line}, column "
                f"{column}: {problem.message}",
                hint="fix it in a text editor, or open and save it in a front end",
            )


def _build_tree(source: ParsedSource, notebook: Expression) -> NotebookTree:
    cells = _get_cell_list(source, notebook)
    if cells is None or not isinstance(notebook, Node):
        raise InvalidPageError("The cells are not in a list; expected Notebook[{…}, …]")
    root = _build_branch(source, cells, (0, len(source.text)), 0)
    newline = "\r\n" if "\r\n" in source.text else "\n"
    return NotebookTree(root, read_options(notebook.args[1:]), newline)


def _get_cell_list(source: ParsedSource, expression: Expression) -> Node | None:
    """Return the list in braces that is the first argument, or None."""
    first = expression.args[0] if isinstance(expression, Node) and expression.args else None
    if not has_head(first, "List"):
        return None
    return first if source.text.startswith("{", first.start) else None


def _build_branch(
    source: ParsedSource, cells: Node, span: tuple[int, int], depth: int
) -> CellBranch:
    """Build the tree branch for a list of cells, including its elements.

    Args:
        source: The parsed notebook.
        cells: The list expression `{Cell[…], …}`.
        span: The start and end of the source text of the branch, such as a group with its list.
        depth: The number of enclosing groups.

    Raises:
        InvalidPageError: Groups are nested too deeply, or the list is malformed.
    """
    if depth > _MAX_GROUP_DEPTH:
        raise InvalidPageError(f"Groups are nested more than {_MAX_GROUP_DEPTH} levels deep")
    text, start, end = source.text, cells.start + 1, cells.end - 1
    prefix, suffix = text[span[0] : start], text[end : span[1]]
    if not cells.args:
        return CellBranch(prefix, suffix, [], text[start:end])
    elements: list[CellElement] = []
    lead_start = start
    for item, next_item in zip_longest(cells.args, cells.args[1:]):
        element = _build_element(source, item, depth + 1)
        trail_end = end if next_item is None else _find_comma(text, item.end, next_item.start)
        element.lead = text[lead_start : item.start]
        element.trail = text[item.end : trail_end]
        elements.append(element)
        lead_start = trail_end + 1
    return CellBranch(prefix, suffix, elements, "")


def _find_comma(text: str, start: int, end: int) -> int:
    """Return the position of the comma between two elements of a list.

    A comma inside a comment does not separate elements.

    Raises:
        InvalidPageError: The text has no comma outside of comments.
    """
    comment_depth = 0
    for match in _COMMENT_SIGN.finditer(text, start, end):
        if match[0] != ",":
            comment_depth += 1 if match[0] == "(*" else -1
        elif not comment_depth:
            return match.start()
    raise InvalidPageError("The cells are not separated by commas")


def _build_element(source: ParsedSource, expression: Expression, depth: int) -> CellElement:
    """Build the tree element for a cell or a group of cells, with its exact source text.

    A group becomes a branch, so that its cells can be edited separately. Any other expression
    becomes a leaf.

    Raises:
        InvalidPageError: The cell is missing from the source, as between two commas.
    """
    start, end = expression.start, expression.end
    if not 0 <= start < end:
        raise InvalidPageError("A cell is missing before or after a comma")
    content = expression.args[0] if has_head(expression, "Cell") and expression.args else None
    group_data = expression if content is None else content
    if has_head(group_data, "CellGroupData"):
        cells = _get_cell_list(source, group_data)
        if cells is not None and cells.args:
            return _build_branch(source, cells, (start, end), depth)
    content_span = None if content is None else (content.start - start, content.end - start)
    return CellLeaf(source.text[start:end], to_cell(expression), content_span)
