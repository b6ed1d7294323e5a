"""Layout of a symbol page: sections and their order, headings and heading levels.

Page sections are identified by heading style, and sections of examples below "More Examples" by
title.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.suggestions import did_you_mean
from paddock.wolfram.notebooks.box_text import boxes_to_text
from paddock.wolfram.notebooks.model import Cell, CellGroup, to_expression
from paddock.wolfram.reference_pages.errors import InvalidSectionError
from paddock.wolfram.reference_pages.examples import make_line_reset

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

OBJECT_NAME_STYLE, USAGE_STYLE, NOTES_STYLE = "ObjectName", "Usage", "Notes"
SEE_ALSO_SECTION, TECH_NOTES_SECTION = "SeeAlsoSection", "TechNotesSection"
GUIDES_SECTION, RELATED_LINKS_SECTION = "MoreAboutSection", "RelatedLinksSection"
INITIALIZATION_SECTION, BASIC_EXAMPLES_SECTION = (
    "ExamplesInitializationSection",
    "PrimaryExamplesSection",
)
EXTENDED_EXAMPLES_SECTION, METADATA_SECTION = "ExtendedExamplesSection", "MetadataSection"
HISTORY_STYLE, CATEGORIZATION_SECTION = "History", "CategorizationSection"
KEYWORDS_SECTION, TEMPLATES_SECTION = "KeywordsSection", "TemplatesSection"
EXAMPLE_SECTION_STYLE, EXAMPLE_SUBSECTION_STYLE = "ExampleSection", "ExampleSubsection"
EXTENDED_TAG = "ExtendedExamples"
_MAX_CELL_ID = 999_999_999
_TITLE_COUNT = re.compile(r"\s*\(\d+\)\s*$")


class SectionKind(NamedTuple):
    """A page section: its title and the style of its cells."""

    title: str
    style: str = ""


SECTIONS: dict[str, SectionKind] = {
    OBJECT_NAME_STYLE: SectionKind(""),
    SEE_ALSO_SECTION: SectionKind("See Also", "SeeAlso"),
    TECH_NOTES_SECTION: SectionKind("Tech Notes", "Tutorials"),
    GUIDES_SECTION: SectionKind("Related Guides", "MoreAbout"),
    RELATED_LINKS_SECTION: SectionKind("Related Links", "RelatedLinks"),
    INITIALIZATION_SECTION: SectionKind("Examples Initialization", "ExampleInitialization"),
    BASIC_EXAMPLES_SECTION: SectionKind("Basic Examples"),
    EXTENDED_EXAMPLES_SECTION: SectionKind("More Examples"),
    METADATA_SECTION: SectionKind("Metadata"),
}
"""Page sections by heading style, in page order."""

METADATA_SECTIONS: dict[str, SectionKind] = {
    CATEGORIZATION_SECTION: SectionKind("Categorization", "Categorization"),
    KEYWORDS_SECTION: SectionKind("Keywords", "Keywords"),
    TEMPLATES_SECTION: SectionKind("Syntax Templates", "Template"),
}
"""Sections within the metadata by heading style, in order."""

EXAMPLE_SECTIONS = {
    "Scope": "Scope",
    "GeneralizationsExtensions": "Generalizations & Extensions",
    "Options": "Options",
    "Applications": "Applications",
    "PropertiesRelations": "Properties & Relations",
    "PossibleIssues": "Possible Issues",
    "InteractiveExamples": "Interactive Examples",
    "NeatExamples": "Neat Examples",
}
"""Titles of the sections below "More Examples", in order."""
BASIC_EXAMPLES, OPTIONS = "BasicExamples", "Options"
SECTION_NAMES = (BASIC_EXAMPLES, *EXAMPLE_SECTIONS)
"""Names of all sections that contain examples."""

_HEADING_LEVELS = {
    **dict.fromkeys(METADATA_SECTIONS, 2),
    EXAMPLE_SECTION_STYLE: 2,
    EXAMPLE_SUBSECTION_STYLE: 3,
    "ExampleSubsubsection": 4,
    OBJECT_NAME_STYLE: 1,
}


def get_heading_level(style: str) -> int:
    """Return the level of a heading style, starting at 1, or 0 for other styles.

    Levels are relative within the page. They decide where a section ends.
    """
    return _HEADING_LEVELS.get(style, 1 if style.endswith("Section") else 0)


def normalize_title(title: str) -> str:
    """Normalize a title for comparison.

    Spaces, punctuation, differences in case, and the example count that front ends append are
    removed.
    """
    title = _TITLE_COUNT.sub("", title).casefold()
    return "".join(character for character in title if character.isalnum())


def resolve_section_name(name: str) -> str:
    """Return the canonical name of a section of examples: `PossibleIssues` for `possible issues`.

    Raises:
        InvalidSectionError: The section does not exist.
    """
    for section_name in SECTION_NAMES:
        if normalize_title(section_name) == normalize_title(name):
            return section_name
    raise InvalidSectionError(
        f"Examples have no section {name!r}",
        hint=did_you_mean(name, SECTION_NAMES) or f"use one of {', '.join(SECTION_NAMES)}",
    )


def get_title(cell: Cell) -> str:
    """Return the text of a heading."""
    content = cell.content
    text = content if isinstance(content, str) else boxes_to_text(content, form="text")
    return text.strip()


def make_heading(style: str) -> Cell:
    """Return the heading cell of a section on a reference page.

    Headings of examples contain the tag or code that front ends expect.

    Args:
        style: The cell style of the heading, which determines the section.
    """
    title = (SECTIONS | METADATA_SECTIONS)[style].title
    if style == BASIC_EXAMPLES_SECTION:
        return Cell(make_line_reset(title, style), style)
    if style == EXTENDED_EXAMPLES_SECTION:
        return Cell(title, style, CellTags=EXTENDED_TAG)
    return Cell(title, style)


def make_example_heading(title: str, style: str = EXAMPLE_SECTION_STYLE) -> Cell:
    """Return the heading of a section or subsection of examples."""
    return Cell(make_line_reset(title, style), style)


def add_cell_ids(
    cells: Iterable[Cell | CellGroup], random_generator: random.Random
) -> list[Cell | CellGroup]:
    """Give each cell without a `CellID` a random one, and return the cells.

    The cells are changed in place, including those in groups.
    """
    cell_list = list(cells)
    pending = list(cell_list)
    while pending:
        cell_or_group = pending.pop()
        if isinstance(cell_or_group, CellGroup):
            pending += cell_or_group.cells
        elif "CellID" not in cell_or_group.options:
            cell_id = random_generator.randint(1, _MAX_CELL_ID)
            cell_or_group.options["CellID"] = to_expression(cell_id)
    return cell_list
