"""Editing of a symbol's page: finds its sections, and creates them if they are missing.

Headings delimit the sections, not groups, because pages from other tools are not always grouped.
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
    """A heading and the elements that follow it in the same list, up to the next heading.

    `start` and `end` are indices in `branch.elements`. They become invalid when the list changes.
    """

    branch: CellBranch
    start: int
    end: int

    @property
    def body(self) -> list[CellElement]:
        """The elements below the heading."""
        return self.branch.elements[self.start + 1 : self.end]

    def set_body(self, elements: Sequence[CellElement]) -> None:
        """Replace the elements below the heading."""
        self.branch.replace(self.start + 1, self.end, elements)

    def list_positions(self) -> list[CellPosition]:
        """Return the positions of all cells below the heading, including those in cell groups."""
        positions: list[CellPosition] = []
        for index in range(self.start + 1, self.end):
            element = self.branch.elements[index]
            if isinstance(element, CellBranch):
                positions += element.iter_positions()
            else:
                positions.append(CellPosition(self.branch, index, element))
        return positions


class SymbolPage:
    """The reference page of a symbol, as an editable notebook.

    Args:
        text: The text of the notebook file.
        random_generator: The generator for the IDs of new cells. By default, a new one is used.

    Raises:
        InvalidPageError: The notebook is not the page of a symbol.
    """

    def __init__(self, text: str, random_generator: random.Random | None = None) -> None:
        self._tree = parse_tree(text)
        self._random = random_generator or random.Random()  # noqa: S311 - ids need not be secret
        object_names = [
            position.leaf
            for position in self._tree.root.iter_positions()
            if position.leaf.style == OBJECT_NAME_STYLE
        ]
        if not object_names:
            raise InvalidPageError(
                "The notebook is not the page of a symbol: no cell has the style ObjectName",
                hint="create a page with CreateSymbolDoc",
            )
        self.symbol = get_title(object_names[0].cell)

    @property
    def paclet(self) -> str:
        """The symbol's paclet, or an empty string if the page does not specify it."""
        paclet = self._tree.tagging_rules.get("Paclet")
        return paclet if isinstance(paclet, str) else self._get_metadata("Paclet Name")

    @property
    def context(self) -> str:
        """The symbol's context, or an empty string if the page does not specify it."""
        context = self._get_metadata("Context")
        if context and context != PLACEHOLDER:
            return context
        # By convention, a paclet's main context is its name with backticks for slashes.
        return self.paclet.replace("/", "`") + "`" if self.paclet else ""

    @property
    def uri(self) -> str:
        """The URI of the page, without `paclet:`."""
        return f"{self.paclet}/ref/{self.symbol}" if self.paclet else f"ref/{self.symbol}"

    def _get_metadata(self, label: str) -> str:
        """Return the value of the categorization cell with a label, or an empty string."""
        for position in self._tree.root.iter_positions():
            cell = position.leaf.cell
            if cell.style == "Categorization" and cell.label == label:
                return get_title(cell)
        return ""

    def to_text(self) -> str:
        """Return the text of the notebook file."""
        return self._tree.to_text()

    def make_elements(self, cells: Iterable[Cell | CellGroup]) -> list[CellElement]:
        """Create elements for cells and groups, with cell IDs."""
        return self._tree.make_elements(add_cell_ids(cells, self._random))

    def find_section(
        self, style: str, matches: Callable[[CellLeaf], bool] = lambda _: True
    ) -> PageSection | None:
        """Return the first section whose heading has a style, such as `"SeeAlsoSection"`, or None.

        If multiple headings have this style, `matches` selects the one to use.
        """
        for position in self._tree.root.iter_positions():
            if position.leaf.style == style and matches(position.leaf):
                return get_section_at(position)
        return None

    def get_or_add_section(self, style: str) -> PageSection:
        """Return the section with a heading style, adding it if the page lacks it.

        A new section is inserted at its place in the standard section order. A section that
        describes metadata is added inside the metadata section.
        """
        section = self.find_section(style)
        if section is not None:
            return section
        elements = self.make_elements([CellGroup([make_heading(style)])])
        if style in METADATA_SECTIONS:
            parent = self.get_or_add_section(METADATA_SECTION)
            styles = list(METADATA_SECTIONS)
        else:
            root = self._tree.root
            # The whole page acts as a section whose heading is before the first element.
            parent = PageSection(root, -1, len(root.elements))
            styles = list(SECTIONS)
        later_styles = styles[styles.index(style) + 1 :]
        insert_in_order(parent, elements, lambda element: element.style in later_styles)
        # Find the section again, because inserting copies the elements.
        added_section = self.find_section(style)
        if added_section is None:
            raise InvalidPageError(f"The section {style} cannot be added to the page")
        return added_section


def insert_in_order(
    parent: PageSection,
    elements: Sequence[CellElement],
    belongs_after: Callable[[CellElement], bool],
) -> None:
    """Insert a new section's elements at their place inside an existing section.

    Args:
        parent: The existing section.
        elements: The elements of the new section.
        belongs_after: Returns whether an existing element comes after the new section. The new
            section is inserted before the first such element, or at the end.
    """
    for index in range(parent.start + 1, parent.end):
        if belongs_after(parent.branch.elements[index]):
            break
    else:
        index = parent.end
    parent.branch.replace(index, index, elements)


def get_section_at(heading: CellPosition) -> PageSection:
    """Return the section that a heading opens.

    The section ends before the next heading of the same or a higher level.
    """
    level = get_heading_level(heading.leaf.style)
    elements = heading.branch.elements
    end = heading.position + 1
    while end < len(elements) and not 0 < get_heading_level(elements[end].style) <= level:
        end += 1
    return PageSection(heading.branch, heading.position, end)


def is_placeholder(element: CellElement) -> bool:
    """Return whether a cell, or every cell of a group, is a placeholder."""
    if isinstance(element, CellBranch):
        return bool(element.elements) and all(map(is_placeholder, element.elements))
    return get_title(element.cell) == PLACEHOLDER
