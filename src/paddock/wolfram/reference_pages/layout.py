"""What a symbol's page is made of: its sections, their order, and their headings.

Sections of the page are told apart by the styles of their headings, those of examples below "More
Examples" by their titles.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from paddock.suggestions import did_you_mean
from paddock.wolfram.notebooks.linear import boxes_to_text
from paddock.wolfram.notebooks.model import Cell, Group, expression_of
from paddock.wolfram.reference_pages.examples import restarting
from paddock.wolfram.reference_pages.failures import InvalidSectionError

if TYPE_CHECKING:
    import random
    from collections.abc import Iterable

OBJECT_NAME, USAGE, NOTES = "ObjectName", "Usage", "Notes"
SEE_ALSO, TECH_NOTES = "SeeAlsoSection", "TechNotesSection"
GUIDES, RELATED_LINKS = "MoreAboutSection", "RelatedLinksSection"
INITIALIZATION, BASIC = "ExamplesInitializationSection", "PrimaryExamplesSection"
EXTENDED, METADATA = "ExtendedExamplesSection", "MetadataSection"
HISTORY, CATEGORIZATION = "History", "CategorizationSection"
KEYWORDS, TEMPLATES = "KeywordsSection", "TemplatesSection"
EXAMPLE_SECTION, EXAMPLE_SUBSECTION = "ExampleSection", "ExampleSubsection"
EXTENDED_TAG = "ExtendedExamples"
_HIGHEST_ID = 999_999_999
_COUNT = re.compile(r"\s*\(\d+\)\s*$")


class Kind(NamedTuple):
    """A section of a page: its title, and the style of what is in it."""

    title: str
    style: str = ""


SECTIONS: dict[str, Kind] = {
    OBJECT_NAME: Kind(""),
    SEE_ALSO: Kind("See Also", "SeeAlso"),
    TECH_NOTES: Kind("Tech Notes", "Tutorials"),
    GUIDES: Kind("Related Guides", "MoreAbout"),
    RELATED_LINKS: Kind("Related Links", "RelatedLinks"),
    INITIALIZATION: Kind("Examples Initialization", "ExampleInitialization"),
    BASIC: Kind("Basic Examples"),
    EXTENDED: Kind("More Examples"),
    METADATA: Kind("Metadata"),
}
"""By the styles of their headings, in the order of the page."""

METADATA_SECTIONS: dict[str, Kind] = {
    CATEGORIZATION: Kind("Categorization", "Categorization"),
    KEYWORDS: Kind("Keywords", "Keywords"),
    TEMPLATES: Kind("Syntax Templates", "Template"),
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

_LEVELS = {
    **dict.fromkeys(METADATA_SECTIONS, 2),
    EXAMPLE_SECTION: 2,
    EXAMPLE_SUBSECTION: 3,
    "ExampleSubsubsection": 4,
    OBJECT_NAME: 1,
}


def level_of(style: str) -> int:
    """How deep a heading stands, from 1; 0 for what is no heading."""
    return _LEVELS.get(style, 1 if style.endswith("Section") else 0)


def key_of(title: str) -> str:
    """What two titles have in common that are the same but for spelling."""
    return "".join(sign for sign in _COUNT.sub("", title).casefold() if sign.isalnum())


def check_section(name: str) -> str:
    """The name of a section of examples, as we write it.

    Raises:
        InvalidSectionError: when there is none of that name.
    """
    found = {key_of(one): one for one in SECTION_NAMES}.get(key_of(name))
    if found is None:
        raise InvalidSectionError(
            f"There is no section {name!r} of examples",
            hint=did_you_mean(name, SECTION_NAMES) or f"one of {', '.join(SECTION_NAMES)}",
        )
    return found


def title_of(cell: Cell) -> str:
    """What a heading says."""
    content = cell.content
    text = content if isinstance(content, str) else boxes_to_text(content, form="text")
    return text.strip()


def heading(style: str) -> Cell:
    """The heading of a section of the page, or of its metadata."""
    kind = (SECTIONS | METADATA_SECTIONS)[style]
    if style == BASIC:
        return Cell(restarting(kind.title, style), style)
    if style == EXTENDED:
        return Cell(kind.title, style, CellTags=EXTENDED_TAG)
    return Cell(kind.title, style)


def example_heading(title: str, style: str = EXAMPLE_SECTION) -> Cell:
    """The heading of a section or subsection of examples."""
    return Cell(restarting(title, style), style)


def with_ids(cells: Iterable[Cell | Group], source: random.Random) -> list[Cell | Group]:
    """The same cells, each with an id if it has none."""
    found = list(cells)
    waiting = list(found)
    while waiting:
        one = waiting.pop()
        if isinstance(one, Group):
            waiting += one.cells
        elif "CellID" not in one.options:
            one.options["CellID"] = expression_of(source.randint(1, _HIGHEST_ID))
    return found
