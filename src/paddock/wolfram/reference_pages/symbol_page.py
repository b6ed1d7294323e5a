"""A symbol's page that is being changed: its sections are found, and made where they are missing.

Where a section begins and ends is told by headings, not by groups: pages that were written by hand
or by programs are not always grouped.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.notebooks.model import Cell, CellGroup
from paddock.wolfram.reference_pages.errors import InvalidPageError
from paddock.wolfram.reference_pages.layout import (
    METADATA_SECTION,
    METADATA_SECTIONS,
    OBJECT_NAME_STYLE,
    SECTIONS,
    add_cell_ids,
    get_heading_level,
    get_title,
    make_heading,
)
from paddock.wolfram.reference_pages.notebook_tree import CellBranch, CellPosition, parse_tree
from paddock.wolfram.reference_pages.prose import PLACEHOLDER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from paddock.wolfram.reference_pages.notebook_tree import CellElement, CellLeaf


class PageSection(NamedTuple):
    """A heading, and what follows it in the same list up to the next one."""

    branch: CellBranch
    start: int
    end: int

    @property
    def body(self) -> list[CellElement]:
        """What is below the heading."""
        return self.branch.elements[self.start + 1 : self.end]

    def set_body(self, elements: Sequence[CellElement]) -> None:
        """Have other elements below the heading."""
        self.branch.replace(self.start + 1, self.end, elements)

    def list_positions(self) -> list[CellPosition]:
        """The cells below the heading, in whatever groups."""
        found: list[CellPosition] = []
        for index in range(self.start + 1, self.end):
            element = self.branch.elements[index]
            if isinstance(element, CellBranch):
                found += element.iter_positions()
            else:
                found.append(CellPosition(self.branch, index, element))
        return found


class SymbolPage:
    """The page of a symbol."""

    def __init__(self, text: str, source: random.Random | None = None) -> None:
        self._tree = parse_tree(text)
        self._random = source or random.Random()  # noqa: S311 - ids need not be secret
        named = [
            one.leaf
            for one in self._tree.root.iter_positions()
            if one.leaf.style == OBJECT_NAME_STYLE
        ]
        if not named:
            raise InvalidPageError(
                "It is not the page of a symbol: there is no cell with the style ObjectName",
                hint="CreateSymbolDoc makes such pages",
            )
        self.symbol = get_title(named[0].cell)

    @property
    def paclet(self) -> str:
        """The paclet that the symbol is in; empty if the page does not say."""
        found = self._tree.tagging_rules.get("Paclet")
        return found if isinstance(found, str) else self._get_metadata("Paclet Name")

    @property
    def context(self) -> str:
        """The context of the symbol; empty if the page does not say."""
        found = self._get_metadata("Context")
        if found and found != PLACEHOLDER:
            return found
        return self.paclet.replace("/", "`") + "`" if self.paclet else ""

    @property
    def uri(self) -> str:
        """The address of the page, without `paclet:`."""
        return f"{self.paclet}/ref/{self.symbol}" if self.paclet else f"ref/{self.symbol}"

    def _get_metadata(self, label: str) -> str:
        for place in self._tree.root.iter_positions():
            cell = place.leaf.cell
            if cell.style == "Categorization" and cell.label == label:
                return get_title(cell)
        return ""

    def to_text(self) -> str:
        """The text of the file."""
        return self._tree.to_text()

    def make_elements(self, cells: Iterable[Cell | CellGroup]) -> list[CellElement]:
        """New elements, each cell with an id."""
        return self._tree.make_elements(add_cell_ids(cells, self._random))

    def find_section(
        self, style: str, wanted: Callable[[CellLeaf], bool] = lambda _: True
    ) -> PageSection | None:
        """The section whose heading has a style, and is wanted."""
        for place in self._tree.root.iter_positions():
            if place.leaf.style == style and wanted(place.leaf):
                return get_section_at(place)
        return None

    def get_or_add_section(self, style: str) -> PageSection:
        """A section of the page or its metadata, made in its place if it is not there."""
        found = self.find_section(style)
        if found is not None:
            return found
        made = self.make_elements([CellGroup([make_heading(style)])])
        if style in METADATA_SECTIONS:
            insert_in_order(
                self.get_or_add_section(METADATA_SECTION),
                made,
                _make_rank(METADATA_SECTIONS),
                style,
            )
        else:
            root = PageSection(self._tree.root, -1, len(self._tree.root.elements))
            insert_in_order(root, made, _make_rank(SECTIONS), style)
        again = self.find_section(style)
        if again is None:
            raise InvalidPageError(f"There is no place on it for {style}")
        return again


def _make_rank(styles: Iterable[str]) -> Callable[[CellElement | str], int | None]:
    ranks = {style: rank for rank, style in enumerate(styles)}

    def rank(found: CellElement | str) -> int | None:
        return ranks.get(found if isinstance(found, str) else found.style)

    return rank


def insert_in_order(
    around: PageSection,
    made: Sequence[CellElement],
    rank: Callable[[CellElement | str], int | None],
    what: str,
) -> None:
    """Insert a section before the first of those that come after it, else at the end."""
    own = rank(what)
    at = around.end
    for index in range(around.start + 1, around.end):
        other = rank(around.branch.elements[index])
        if own is not None and other is not None and other > own:
            at = index
            break
    around.branch.replace(at, at, made)


def get_section_at(place: CellPosition) -> PageSection:
    """The section that a heading begins."""
    level = get_heading_level(place.leaf.style)
    elements = place.branch.elements
    end = place.position + 1
    while end < len(elements) and not 0 < get_heading_level(elements[end].style) <= level:
        end += 1
    return PageSection(place.branch, place.position, end)


def is_placeholder(element: CellElement) -> bool:
    """Whether a cell, or a group, says nothing yet."""
    if isinstance(element, CellBranch):
        return bool(element.elements) and all(map(is_placeholder, element.elements))
    return get_title(element.cell) == PLACEHOLDER
