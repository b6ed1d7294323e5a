"""Which styles of cells are headings and items, and how deep."""

from __future__ import annotations

from typing import NamedTuple

HEADINGS = (
    "Title",
    "Section",
    "Subsection",
    "Subsubsection",
    "Subsubsubsection",
    "Subsubsubsubsection",
)
"""By level, from 1."""
_REFERENCE_PAGES = {
    1: ("ObjectName", "GuideTitle"),
    2: (
        *("SeeAlsoSection", "TechNotesSection", "MoreAboutSection", "RelatedLinksSection"),
        *("ExamplesInitializationSection", "PrimaryExamplesSection", "ExtendedExamplesSection"),
        "MetadataSection",
    ),
    3: ("ExampleSection", "CategorizationSection", "KeywordsSection", "TemplatesSection"),
    4: ("ExampleSubsection",),
    5: ("ExampleSubsubsection",),
}
"""The headings of documentation, by level."""
LEVELS = {
    **{style: level for level, style in enumerate(HEADINGS, 1)},
    **{style: level for level, styles in _REFERENCE_PAGES.items() for style in styles},
    "Chapter": 1,
    "Subchapter": 2,
}
"""The level of each style of heading."""
QUOTE = "BlockQuote"
"""The style of a quotation; a cell has it once for each level."""
QUOTES = frozenset((QUOTE, "Quote", "Blockquote", "Quotation"))
DELIMITER = "Delimiter"


class ItemStyle(NamedTuple):
    """What a style of items says."""

    level: int
    is_numbered: bool
    is_paragraph: bool


_DEPTHS = ("Item", "Subitem", "Subsubitem")
DEEPEST_ITEM = len(_DEPTHS)
ITEMS = {
    f"{name}{kind}": ItemStyle(level, kind == "Numbered", kind == "Paragraph")
    for level, name in enumerate(_DEPTHS, 1)
    for kind in ("", "Numbered", "Paragraph")
}
"""What the styles of items say."""


def item_style(level: int, *, is_numbered: bool = False, is_paragraph: bool = False) -> str:
    """The style of an item; there are no more than three levels."""
    kind = "Paragraph" if is_paragraph else "Numbered" if is_numbered else ""
    return f"{_DEPTHS[min(level, DEEPEST_ITEM) - 1]}{kind}"
