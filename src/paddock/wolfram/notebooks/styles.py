"""Which styles of cells are headings and items, and how deep."""

from __future__ import annotations

from typing import NamedTuple

HEADING_STYLES = (
    "Title",
    "Section",
    "Subsection",
    "Subsubsection",
    "Subsubsubsection",
    "Subsubsubsubsection",
)
"""By level, from 1."""
_REFERENCE_PAGE_HEADINGS = {
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
HEADING_LEVELS = {
    **{style: level for level, style in enumerate(HEADING_STYLES, 1)},
    **{style: level for level, styles in _REFERENCE_PAGE_HEADINGS.items() for style in styles},
    "Chapter": 1,
    "Subchapter": 2,
}
"""The level of each style of heading."""
QUOTE_STYLE = "BlockQuote"
"""The style of a quotation; a cell has it once for each level."""
QUOTE_STYLES = frozenset((QUOTE_STYLE, "Quote", "Blockquote", "Quotation"))
DELIMITER_STYLE = "Delimiter"


class ItemStyle(NamedTuple):
    """What a style of items says."""

    level: int
    is_numbered: bool
    is_paragraph: bool


_ITEM_STYLE_NAMES = ("Item", "Subitem", "Subsubitem")
MAX_ITEM_LEVEL = len(_ITEM_STYLE_NAMES)
ITEM_STYLES = {
    f"{name}{kind}": ItemStyle(level, kind == "Numbered", kind == "Paragraph")
    for level, name in enumerate(_ITEM_STYLE_NAMES, 1)
    for kind in ("", "Numbered", "Paragraph")
}
"""What the styles of items say."""


def get_item_style(level: int, *, is_numbered: bool = False, is_paragraph: bool = False) -> str:
    """The style of an item; there are no more than three levels."""
    kind = "Paragraph" if is_paragraph else "Numbered" if is_numbered else ""
    return f"{_ITEM_STYLE_NAMES[min(level, MAX_ITEM_LEVEL) - 1]}{kind}"
