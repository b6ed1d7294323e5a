"""New reference pages, with placeholders for missing content."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import call, symbol
from paddock.wolfram.notebooks.box_builder import code_to_boxes
from paddock.wolfram.notebooks.character_encoding import ascii_string
from paddock.wolfram.notebooks.model import Cell, CellGroup, Notebook, make_list, make_rule
from paddock.wolfram.notebooks.nb_format import write_notebook
from paddock.wolfram.reference_pages import layout
from paddock.wolfram.reference_pages.errors import InvalidContentError
from paddock.wolfram.reference_pages.examples import (
    Example,
    make_delimiter,
    make_example_cells,
    make_usage_content,
    parse_usage,
)
from paddock.wolfram.reference_pages.layout import add_cell_ids, make_example_heading, make_heading
from paddock.wolfram.reference_pages.prose import (
    PLACEHOLDER,
    make_link_cells,
    make_note_cells,
    make_see_also_content,
    split_names,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression

STYLE_SHEET = "FunctionPageStylesExt.nb"
UNKNOWN_VERSION = "XX"
_SYMBOL_NAME = r"(?:[^\W\d_]|\$)(?:[^\W_]|\$)*"
_SYMBOL_PATTERN = re.compile(_SYMBOL_NAME)
_PACLET_PATTERN = re.compile(r"[^\W_][\w.-]*(?:/[^\W_][\w.-]*)?")
_PACLET_DESCRIPTION = "the name of a paclet: Paclet, Publisher/Paclet"
_CONTEXT_PATTERN = re.compile(rf"(?:{_SYMBOL_NAME}`)+")
_HISTORY_LABELS = {
    "new": "New in: ",
    "modified": " | Modified in: ",
    "obsolete": " | Obsolete in: ",
}
_TEMPLATE_LABELS = (
    "Additional Function Template",
    "Arguments Pattern",
    "Local Variables",
    "Color Equal Signs",
)


@dataclass(slots=True)
class PageSubject:
    """The symbol that a reference page documents."""

    symbol: str
    """The name of the symbol without its context."""
    paclet: str
    """The name of the paclet (package), including its publisher: `Publisher/Paclet`."""
    context: str = ""
    """The context (namespace) of the symbol. By default, it is derived from the paclet."""

    def __post_init__(self) -> None:
        """Derive a missing context from the paclet name, and check all names.

        Raises:
            InvalidContentError: A name has an invalid format.
        """
        # By convention, a paclet's main context is its name with backticks for slashes.
        self.context = self.context.strip() or self.paclet.replace("/", "`") + "`"
        if not self.context.endswith("`"):
            self.context += "`"
        for parameter, value, pattern, expected in (
            ("symbolName", self.symbol, _SYMBOL_PATTERN, "the name of a symbol, without a context"),
            ("pacletName", self.paclet, _PACLET_PATTERN, _PACLET_DESCRIPTION),
            ("context", self.context, _CONTEXT_PATTERN, "a context, such as Publisher`Paclet`"),
        ):
            if pattern.fullmatch(value) is None:
                raise InvalidContentError(f"{parameter}: {value!r} is not {expected}")

    @property
    def uri(self) -> str:
        """The URI of the page without `paclet:`, such as `Publisher/Paclet/ref/Symbol`."""
        return f"{self.paclet}/ref/{self.symbol}"


@dataclass(slots=True)
class PageContent:
    """The content of a new reference page, as Markdown for each section."""

    usage: str
    """A list of the symbol's syntax cases with descriptions."""
    notes: str = ""
    see_also: str = ""
    tech_notes: str = ""
    guides: str = ""
    links: str = ""
    keywords: str = ""
    version: str = ""
    examples: Sequence[Example] = field(default_factory=list)


def build_page(
    subject: PageSubject,
    content: PageContent,
    resolve_link: Callable[[str], str],
    *,
    random_generator: random.Random | None = None,
) -> str:
    """Return the text of the notebook file for a new reference page.

    The page has all sections of a symbol page. Missing notes, links and keywords become
    placeholders for the author.

    Args:
        subject: The symbol that the page documents.
        content: The Markdown for the sections.
        resolve_link: A function that returns the link target for the name of a symbol.
        random_generator: The random number generator for cell IDs. By default, a new one is
            created.

    Raises:
        ReferencePageError: Some content has an invalid format.
    """
    usage = make_usage_content(parse_usage(content.usage), subject.symbol, subject.uri)
    notes = make_note_cells(content.notes) or [Cell(PLACEHOLDER, layout.NOTES_STYLE)]
    see_also = make_see_also_content(content.see_also, resolve_link)
    needs = call("BoxData", code_to_boxes(f'Needs["{subject.context}"]'))
    object_name = Cell(subject.symbol, layout.OBJECT_NAME_STYLE)
    cells: list[Cell | CellGroup] = [
        CellGroup([object_name, Cell(usage, layout.USAGE_STYLE), *notes]),
        _make_section(layout.SEE_ALSO_SECTION, [Cell(see_also, "SeeAlso")]),
        _make_link_section(layout.TECH_NOTES_SECTION, content.tech_notes),
        _make_link_section(layout.GUIDES_SECTION, content.guides),
        _make_link_section(layout.RELATED_LINKS_SECTION, content.links),
        _make_section(layout.INITIALIZATION_SECTION, [Cell(needs, "ExampleInitialization")]),
        _make_section(layout.BASIC_EXAMPLES_SECTION, _join_example_cells(content.examples)),
        _make_section(layout.EXTENDED_EXAMPLES_SECTION, _make_extended_sections()),
        _make_metadata(subject, content),
    ]
    paclet_rule = make_rule(ascii_string("Paclet"), ascii_string(subject.paclet))
    random_generator = random_generator or random.Random()  # noqa: S311 - ids need not be secret
    notebook = Notebook(
        add_cell_ids(cells, random_generator),
        TaggingRules=make_list([paclet_rule]),
        StyleDefinitions=_make_style_sheet(),
    )
    return write_notebook(notebook)


def _make_style_sheet() -> Expression:
    encoding = make_rule(symbol("CharacterEncoding"), ascii_string("UTF-8"))
    directory = make_list([ascii_string("Wolfram")])
    return call("FrontEnd`FileName", directory, ascii_string(STYLE_SHEET), encoding)


def _make_section(style: str, cells: Sequence[Cell | CellGroup], state: str = "Open") -> CellGroup:
    return CellGroup([make_heading(style), *cells], state)


def _make_link_section(style: str, links: str) -> CellGroup:
    return _make_section(style, make_link_cells(links, layout.SECTIONS[style].style))


def _join_example_cells(examples: Sequence[Example]) -> list[Cell | CellGroup]:
    """Return the cells of multiple examples, separated by delimiter cells."""
    cells: list[Cell | CellGroup] = []
    for example in examples:
        if cells:
            cells.append(make_delimiter())
        cells += make_example_cells(example)
    return cells


def _make_extended_sections() -> list[Cell | CellGroup]:
    """Return the headings of the sections below "More Examples", such as "Applications".

    The sections of a new page are empty, except for the options section, which has a placeholder
    for an option's subsection.
    """
    cells: list[Cell | CellGroup] = []
    for name, title in layout.EXAMPLE_SECTIONS.items():
        heading = make_example_heading(title)
        if name == layout.OPTIONS:
            subheading = make_example_heading(PLACEHOLDER, layout.EXAMPLE_SUBSECTION_STYLE)
            cells.append(CellGroup([heading, subheading]))
        else:
            cells.append(heading)
    return cells


def _make_metadata(subject: PageSubject, content: PageContent) -> CellGroup:
    """Return the metadata section of a page: history, categorization, keywords and templates.

    On a new page, all subsections except the history are closed groups.
    """
    history = {"new": content.version.strip() or UNKNOWN_VERSION}
    values_by_label = {
        "Entity Type": "Symbol",
        "Paclet Name": subject.paclet,
        "Context": subject.context,
        "URI": subject.uri,
    }
    style = layout.METADATA_SECTIONS[layout.CATEGORIZATION_SECTION].style
    categories = [Cell(value, style, CellLabel=label) for label, value in values_by_label.items()]
    empty_boxes = call("BoxData", ascii_string(""))
    templates = [Cell(empty_boxes, "Template", CellLabel=label) for label in _TEMPLATE_LABELS]
    keywords = make_keyword_cells(content.keywords)
    return _make_section(
        layout.METADATA_SECTION,
        [
            Cell(make_history_content(history), layout.HISTORY_STYLE),
            _make_section(layout.CATEGORIZATION_SECTION, categories, "Closed"),
            _make_section(layout.KEYWORDS_SECTION, keywords, "Closed"),
            _make_section(layout.TEMPLATES_SECTION, templates, "Closed"),
        ],
    )


def make_keyword_cells(text: str) -> list[Cell]:
    """Return a cell for each keyword, or a placeholder."""
    return [Cell(word, "Keywords") for word in split_names(text) or [PLACEHOLDER]]


def make_history_content(versions: dict[str, str]) -> Expression:
    """Return the content of the history cell on a reference page.

    Args:
        versions: The versions by key, such as `{"new": "1.0", "modified": "1.2"}`. Missing ones
            are left blank.
    """
    pieces: list[Expression] = []
    for key, history_label in _HISTORY_LABELS.items():
        version = ascii_string(versions.get(key, " "))
        tags = make_rule(symbol("CellTags"), ascii_string(key.capitalize()))
        version_cell = call("Cell", version, ascii_string("HistoryData"), tags)
        pieces += [ascii_string(history_label), version_cell]
    return call("TextData", make_list(pieces))


def parse_history(text: str) -> dict[str, str]:
    """Parse a symbol's history, such as `new:1.0, modified:1.2, obsolete:2.0`.

    Entries are separated by commas or line ends, and each key can occur once.

    Raises:
        InvalidContentError: An entry is invalid, or the text has no entries.
    """
    versions: dict[str, str] = {}
    for entry in re.split(r"[,\n]", text):
        if not entry.strip():
            continue
        key, _, version = (part.strip() for part in entry.partition(":"))
        key = key.lower()
        is_new_key = key in _HISTORY_LABELS and key not in versions
        if not is_new_key or not version or ":" in version:
            raise InvalidContentError(
                f"{entry.strip()!r} is not a history entry",
                hint="write new:1.0, modified:1.2, obsolete:2.0, each at most once",
            )
        versions[key] = version
    if not versions:
        raise InvalidContentError(
            "The history contains no versions", hint="write new:1.0, modified:1.2, obsolete:2.0"
        )
    return versions
