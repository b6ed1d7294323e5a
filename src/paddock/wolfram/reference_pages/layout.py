"""What a symbol's page is made of: its sections, their order, and their headings.

Sections of the page are told apart by the styles of their headings, those of examples below "More
Examples" by their titles.
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
    """A section of a page: its title, and the style of what is in it."""

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
"""By the styles of their headings, in the order of the page."""

METADATA_SECTIONS: dict[str, SectionKind] = {
    CATEGORIZATION_SECTION: SectionKind("Categorization", "Categorization"),
    KEYWORDS_SECTION: SectionKind("Keywords", "Keywords"),
    TEMPLATES_SECTION: SectionKind("Syntax Templates", "Template"),
}
"""The sections below the metadata, in their order."""

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
"""The sections below "More Examples" with their titles, in their order."""
BASIC_EXAMPLES, OPTIONS = "BasicExamples", "Options"
SECTION_NAMES = (BASIC_EXAMPLES, *EXAMPLE_SECTIONS)
"""All sections that examples can be in."""

_HEADING_LEVELS = {
    **dict.fromkeys(METADATA_SECTIONS, 2),
    EXAMPLE_SECTION_STYLE: 2,
    EXAMPLE_SUBSECTION_STYLE: 3,
    "ExampleSubsubsection": 4,
    OBJECT_NAME_STYLE: 1,
}


def get_heading_level(style: str) -> int:
    """How deep a heading stands, from 1; 0 for what is no heading."""
    return _HEADING_LEVELS.get(style, 1 if style.endswith("Section") else 0)


def normalize_title(title: str) -> str:
    """What two titles have in common that are the same but for spelling."""
    return "".join(sign for sign in _TITLE_COUNT.sub("", title).casefold() if sign.isalnum())


def resolve_section_name(name: str) -> str:
    """The name of a section of examples, as we write it.

    Raises:
        InvalidSectionError: when there is none of that name.
    """
    found = {normalize_title(one): one for one in SECTION_NAMES}.get(normalize_title(name))
    if found is None:
        raise InvalidSectionError(
            f"There is no section {name!r} of examples",
            hint=did_you_mean(name, SECTION_NAMES) or f"one of {', '.join(SECTION_NAMES)}",
        )
    return found


def get_title(cell: Cell) -> str:
    """What a heading says."""
    content = cell.content
    text = content if isinstance(content, str) else boxes_to_text(content, form="text")
    return text.strip()


def make_heading(style: str) -> Cell:
    """The heading of a section of the page, or of its metadata."""
    kind = (SECTIONS | METADATA_SECTIONS)[style]
    if style == BASIC_EXAMPLES_SECTION:
        return Cell(make_line_reset(kind.title, style), style)
    if style == EXTENDED_EXAMPLES_SECTION:
        return Cell(kind.title, style, CellTags=EXTENDED_TAG)
    return Cell(kind.title, style)


def make_example_heading(title: str, style: str = EXAMPLE_SECTION_STYLE) -> Cell:
    """The heading of a section or subsection of examples."""
    return Cell(make_line_reset(title, style), style)


def add_cell_ids(
    cells: Iterable[Cell | CellGroup], source: random.Random
) -> list[Cell | CellGroup]:
    """The same cells, each with an id if it has none."""
    found = list(cells)
    waiting = list(found)
    while waiting:
        one = waiting.pop()
        if isinstance(one, CellGroup):
            waiting += one.cells
        elif "CellID" not in one.options:
            one.options["CellID"] = to_expression(source.randint(1, _MAX_CELL_ID))
    return found
