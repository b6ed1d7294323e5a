"""New pages for symbols, with placeholders where there is nothing to say yet."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import call, symbol
from paddock.wolfram.notebooks.boxing import boxes
from paddock.wolfram.notebooks.encoding import literal
from paddock.wolfram.notebooks.model import Cell, Group, Notebook, rule
from paddock.wolfram.notebooks.writing import write_notebook
from paddock.wolfram.reference_pages.examples import Example, delimiter, example_cells
from paddock.wolfram.reference_pages.failures import InvalidContentError
from paddock.wolfram.reference_pages.layout import (
    BASIC,
    CATEGORIZATION,
    EXAMPLE_SECTIONS,
    EXAMPLE_SUBSECTION,
    EXTENDED,
    GUIDES,
    HISTORY,
    INITIALIZATION,
    KEYWORDS,
    METADATA,
    METADATA_SECTIONS,
    NOTES,
    OBJECT_NAME,
    OPTIONS,
    RELATED_LINKS,
    SECTIONS,
    SEE_ALSO,
    TECH_NOTES,
    TEMPLATES,
    USAGE,
    example_heading,
    heading,
    with_ids,
)
from paddock.wolfram.reference_pages.prose import (
    PLACEHOLDER,
    links,
    list_of,
    names,
    notes,
    see_also,
)
from paddock.wolfram.reference_pages.usage import read_usage, usage_content

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression

STYLE_SHEET = "FunctionPageStylesExt.nb"
UNKNOWN_VERSION = "XX"
_NAME = r"(?:[^\W\d_]|\$)(?:[^\W_]|\$)*"
_SYMBOL = re.compile(_NAME)
_PACLET = re.compile(r"[^\W_][\w.-]*(?:/[^\W_][\w.-]*)?")
_CONTEXT = re.compile(rf"(?:{_NAME}`)+")
_HISTORY = {"new": "New in: ", "modified": " | Modified in: ", "obsolete": " | Obsolete in: "}
_TEMPLATES = (
    "Additional Function Template",
    "Arguments Pattern",
    "Local Variables",
    "Color Equal Signs",
)


@dataclass(slots=True)
class Subject:
    """The symbol that a page is about, and the paclet that it is in."""

    symbol: str
    paclet: str
    """With its publisher: `Publisher/Paclet`."""
    context: str = ""

    def __post_init__(self) -> None:
        """Make up the context of the paclet when there is none.

        Raises:
            InvalidContentError: when one of them is not what it should be.
        """
        self.context = self.context.strip() or self.paclet.replace("/", "`") + "`"
        if not self.context.endswith("`"):
            self.context += "`"
        _check("symbolName", self.symbol, _SYMBOL, "the name of a symbol, without a context")
        _check("pacletName", self.paclet, _PACLET, "the name of a paclet: Paclet, Publisher/Paclet")
        _check("context", self.context, _CONTEXT, "a context, such as Publisher`Paclet`")

    @property
    def uri(self) -> str:
        """The address of the page, without `paclet:`."""
        return f"{self.paclet}/ref/{self.symbol}"


def _check(what: str, value: str, form: re.Pattern[str], expected: str) -> None:
    if form.fullmatch(value) is None:
        raise InvalidContentError(f"{what}: {value!r} is not {expected}")


@dataclass(slots=True)
class Description:
    """What a new page says, in markdown."""

    usage: str
    notes: str = ""
    see_also: str = ""
    tech_notes: str = ""
    guides: str = ""
    links: str = ""
    keywords: str = ""
    version: str = ""
    examples: Sequence[Example] = field(default_factory=list)


def new_page(
    subject: Subject,
    description: Description,
    target: Callable[[str], str],
    *,
    source: random.Random | None = None,
) -> str:
    """The text of a new page; `target` says where related symbols have their pages.

    Raises:
        ReferencePageError: when something in the description is not of the form that it needs.
    """
    page: list[Cell | Group] = [
        Group([Cell(subject.symbol, OBJECT_NAME), *_about(subject, description)]),
        _section(SEE_ALSO, [Cell(see_also(description.see_also, target), "SeeAlso")]),
        _section(TECH_NOTES, links(description.tech_notes, SECTIONS[TECH_NOTES].style)),
        _section(GUIDES, links(description.guides, SECTIONS[GUIDES].style)),
        _section(RELATED_LINKS, links(description.links, SECTIONS[RELATED_LINKS].style)),
        _section(INITIALIZATION, [_needs(subject.context)]),
        _section(BASIC, joined(description.examples)),
        _section(EXTENDED, _extended()),
        _metadata(subject, description),
    ]
    options = {
        "TaggingRules": list_of([rule(literal("Paclet"), literal(subject.paclet))]),
        "StyleDefinitions": _style_sheet(),
    }
    return write_notebook(Notebook(with_ids(page, source or random.Random()), **options))  # noqa: S311 - ids need not be secret


def _style_sheet() -> Expression:
    encoding = rule(symbol("CharacterEncoding"), literal("UTF-8"))
    directory = list_of([literal("Wolfram")])
    return call("FrontEnd`FileName", directory, literal(STYLE_SHEET), encoding)


def _about(subject: Subject, description: Description) -> list[Cell]:
    cases = read_usage(description.usage)
    usage = Cell(usage_content(cases, subject.symbol, subject.uri), USAGE)
    return [usage, *(notes(description.notes) or [Cell(PLACEHOLDER, NOTES)])]


def _section(style: str, cells: Sequence[Cell | Group], state: str = "Open") -> Group:
    return Group([heading(style), *cells], state)


def _needs(context: str) -> Cell:
    return Cell(call("BoxData", boxes(f'Needs["{context}"]')), "ExampleInitialization")


def joined(examples: Sequence[Example]) -> list[Cell | Group]:
    """The cells of several examples, with lines between them."""
    cells: list[Cell | Group] = []
    for example in examples:
        if cells:
            cells.append(delimiter())
        cells += example_cells(example)
    return cells


def _extended() -> list[Cell | Group]:
    cells: list[Cell | Group] = []
    for name, title in EXAMPLE_SECTIONS.items():
        made = example_heading(title)
        if name == OPTIONS:
            cells.append(Group([made, example_heading(PLACEHOLDER, EXAMPLE_SUBSECTION)]))
        else:
            cells.append(made)
    return cells


def _metadata(subject: Subject, description: Description) -> Group:
    history = {"new": description.version.strip() or UNKNOWN_VERSION}
    facts = {
        "Entity Type": "Symbol",
        "Paclet Name": subject.paclet,
        "Context": subject.context,
        "URI": subject.uri,
    }
    style = METADATA_SECTIONS[CATEGORIZATION].style
    categories = [Cell(value, style, CellLabel=label) for label, value in facts.items()]
    templates = [
        Cell(call("BoxData", literal("")), "Template", CellLabel=one) for one in _TEMPLATES
    ]
    return _section(
        METADATA,
        [
            Cell(history_content(history), HISTORY),
            _section(CATEGORIZATION, categories, "Closed"),
            _section(KEYWORDS, keyword_cells(description.keywords), "Closed"),
            _section(TEMPLATES, templates, "Closed"),
        ],
    )


def keyword_cells(text: str) -> list[Cell]:
    """A cell for each keyword; a placeholder when there are none."""
    return [Cell(word, "Keywords") for word in names(text) or [PLACEHOLDER]]


def history_content(versions: dict[str, str]) -> Expression:
    """In which versions a symbol was new, changed and given up; a blank where that is unknown."""
    pieces: list[Expression] = []
    for key, words in _HISTORY.items():
        value, tag = literal(versions.get(key, " ")), literal(key.capitalize())
        tags = rule(symbol("CellTags"), tag)
        pieces += [literal(words), call("Cell", value, literal("HistoryData"), tags)]
    return call("TextData", list_of(pieces))


def read_history(text: str) -> dict[str, str]:
    """The versions in `new:1.0, modified:1.2, obsolete:2.0`.

    Raises:
        InvalidContentError: when a part is not of that form.
    """
    versions: dict[str, str] = {}
    for pair in re.split(r"[,\n]", text):
        if not pair.strip():
            continue
        key, sign, value = (part.strip() for part in pair.partition(":"))
        key = key.lower()
        if not sign or not value or ":" in value or key not in _HISTORY or key in versions:
            raise InvalidContentError(
                f"{pair.strip()!r} is no part of a history",
                hint="write new:1.0, modified:1.2, obsolete:2.0, each at most once",
            )
        versions[key] = value
    if not versions:
        raise InvalidContentError(
            "The history has no versions in it", hint="write new:1.0, modified:1.2, obsolete:2.0"
        )
    return versions
