"""A symbol's page that is being changed: its sections are found, and made where they are missing.

Where a section begins and ends is told by headings, not by groups: pages that were written by hand
or by programs are not always grouped.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.notebooks.model import Cell, Group
from paddock.wolfram.reference_pages.failures import InvalidPageError
from paddock.wolfram.reference_pages.layout import (
    METADATA,
    METADATA_SECTIONS,
    OBJECT_NAME,
    SECTIONS,
    heading,
    level_of,
    title_of,
    with_ids,
)
from paddock.wolfram.reference_pages.prose import PLACEHOLDER
from paddock.wolfram.reference_pages.tree import Branch, Place, read_tree

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from paddock.wolfram.reference_pages.tree import Element, Leaf


class Section(NamedTuple):
    """A heading, and what follows it in the same list up to the next one."""

    branch: Branch
    start: int
    end: int

    @property
    def body(self) -> list[Element]:
        """What is below the heading."""
        return self.branch.elements[self.start + 1 : self.end]

    def set_body(self, elements: Sequence[Element]) -> None:
        """Have other elements below the heading."""
        self.branch.replace(self.start + 1, self.end, elements)

    def places(self) -> list[Place]:
        """The cells below the heading, in whatever groups."""
        found: list[Place] = []
        for index in range(self.start + 1, self.end):
            element = self.branch.elements[index]
            if isinstance(element, Branch):
                found += element.leaves()
            else:
                found.append(Place(self.branch, index, element))
        return found


class Page:
    """The page of a symbol."""

    def __init__(self, text: str, source: random.Random | None = None) -> None:
        self._tree = read_tree(text)
        self._source = source or random.Random()  # noqa: S311 - ids need not be secret
        named = [one.leaf for one in self._tree.root.leaves() if one.leaf.style == OBJECT_NAME]
        if not named:
            raise InvalidPageError(
                "It is not the page of a symbol: there is no cell with the style ObjectName",
                hint="CreateSymbolDoc makes such pages",
            )
        self.symbol = title_of(named[0].cell)

    @property
    def paclet(self) -> str:
        """The paclet that the symbol is in; empty if the page does not say."""
        found = self._tree.tagging_rules.get("Paclet")
        return found if isinstance(found, str) else self._fact("Paclet Name")

    @property
    def context(self) -> str:
        """The context of the symbol; empty if the page does not say."""
        found = self._fact("Context")
        if found and found != PLACEHOLDER:
            return found
        return self.paclet.replace("/", "`") + "`" if self.paclet else ""

    @property
    def uri(self) -> str:
        """The address of the page, without `paclet:`."""
        return f"{self.paclet}/ref/{self.symbol}" if self.paclet else f"ref/{self.symbol}"

    def _fact(self, label: str) -> str:
        for place in self._tree.root.leaves():
            cell = place.leaf.cell
            if cell.style == "Categorization" and cell.label == label:
                return title_of(cell)
        return ""

    def text(self) -> str:
        """The text of the file."""
        return self._tree.text()

    def elements(self, cells: Iterable[Cell | Group]) -> list[Element]:
        """New elements, each cell with an id."""
        return self._tree.elements(with_ids(cells, self._source))

    def find(self, style: str, wanted: Callable[[Leaf], bool] = lambda _: True) -> Section | None:
        """The section whose heading has a style, and is wanted."""
        for place in self._tree.root.leaves():
            if place.leaf.style == style and wanted(place.leaf):
                return section_at(place)
        return None

    def section(self, style: str) -> Section:
        """A section of the page or its metadata, made in its place if it is not there."""
        found = self.find(style)
        if found is not None:
            return found
        made = self.elements([Group([heading(style)])])
        if style in METADATA_SECTIONS:
            insert_in_order(self.section(METADATA), made, _rank_among(METADATA_SECTIONS), style)
        else:
            root = Section(self._tree.root, -1, len(self._tree.root.elements))
            insert_in_order(root, made, _rank_among(SECTIONS), style)
        again = self.find(style)
        if again is None:
            raise InvalidPageError(f"There is no place on it for {style}")
        return again


def _rank_among(styles: Iterable[str]) -> Callable[[Element | str], int | None]:
    ranks = {style: rank for rank, style in enumerate(styles)}

    def rank(found: Element | str) -> int | None:
        return ranks.get(found if isinstance(found, str) else found.style)

    return rank


def insert_in_order(
    around: Section,
    made: Sequence[Element],
    rank: Callable[[Element | str], int | None],
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


def section_at(place: Place) -> Section:
    """The section that a heading begins."""
    level = level_of(place.leaf.style)
    elements = place.branch.elements
    end = place.at + 1
    while end < len(elements) and not 0 < level_of(elements[end].style) <= level:
        end += 1
    return Section(place.branch, place.at, end)


def is_placeholder(element: Element) -> bool:
    """Whether a cell, or a group, says nothing yet."""
    if isinstance(element, Branch):
        return bool(element.elements) and all(map(is_placeholder, element.elements))
    return title_of(element.cell) == PLACEHOLDER
