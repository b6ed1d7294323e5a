"""Pieces of running text, between what a notebook holds and what markdown writes.

A paragraph is a flat list of runs: each has its look and its link to itself, so that nesting needs
no tree.

Which styles of cells are headings and items, and how deep.

Notebooks as data: cells with a content, styles and options, and groups of cells.

Contents that are plain strings are kept as text; everything else (`TextData`, `BoxData`, …) is the
expression that a notebook file holds. Reading and writing files is left to `reading` and `writing`.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Literal, NamedTuple

from paddock.errors import PaddockError
from paddock.wolfram.expressions import Atom, Node, call, has_head, symbol
from paddock.wolfram.literals import DataError, evaluate, parse_string
from paddock.wolfram.notebooks.character_encoding import ascii_string

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from paddock.wolfram.expressions import Expression


RunKind = Literal["text", "code", "formula", "raw"]


class TextStyle(NamedTuple):
    """How a run looks, and where it leads."""

    is_bold: bool = False
    is_italic: bool = False
    is_struck: bool = False
    link: str = ""


PLAIN_STYLE = TextStyle()


class TextRun(NamedTuple):
    """Some text of one look.

    Formulas are TeX. What is `raw` is markdown that has no other form: a picture, or a formula that
    could not be understood.
    """

    text: str
    kind: RunKind = "text"
    style: TextStyle = PLAIN_STYLE


def merge_runs(runs: Iterable[TextRun]) -> list[TextRun]:
    """Runs without empty ones; texts of one look that follow each other are one."""
    found: list[TextRun] = []
    for (kind, look), group in groupby((run for run in runs if run.text), key=_get_kind_and_style):
        if kind == "text":
            found.append(TextRun("".join(run.text for run in group), "text", look))
        else:
            found += group
    return found


def _get_kind_and_style(run: TextRun) -> tuple[RunKind, TextStyle]:
    return run.kind, run.style


def get_plain_text(runs: Iterable[TextRun]) -> str:
    """What runs say, without their looks."""
    return "".join(run.text for run in runs)


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


class NotebookError(PaddockError):
    """A text is no notebook."""

    code = "notebook"


class Cell:
    """One cell.

    `style` is the name of one style or several, the first of which says what the cell is. Values of
    options may be Python values or expressions. A content that is no string stands for itself:
    `Cell(call("BoxData", boxes("1 + 1")), "Input")`.
    """

    __slots__ = ("content", "options", "styles")

    def __init__(
        self,
        content: str | Expression,
        style: str | Iterable[str] = (),
        **options: object,
    ) -> None:
        self.content = content
        self.styles = (style,) if isinstance(style, str) else tuple(style)
        self.options = {name: to_expression(value) for name, value in options.items()}

    def __repr__(self) -> str:
        return f"<Cell {', '.join(self.styles) or 'without a style'}>"

    @property
    def style(self) -> str:
        """The style that says what the cell is; empty if it has none."""
        return self.styles[0] if self.styles else ""

    @property
    def label(self) -> str:
        """What stands before it: `In[1]:=`."""
        return self.get_option_text("CellLabel")

    @property
    def tagging_rules(self) -> dict[str, object]:
        """The data that programs keep in it."""
        return read_tagging_rules(self.options)

    def get_option_text(self, name: str) -> str:
        """The value of an option that is a string; empty if it is not set to one."""
        value = self.options.get(name)
        if isinstance(value, Atom) and value.kind == "string":
            return parse_string(value.text)
        return ""


class CellGroup:
    """Cells that belong together: a heading and what is below it, an input and its outputs."""

    __slots__ = ("cells", "state")

    def __init__(self, cells: Iterable[Cell | CellGroup], state: str | Expression = "Open") -> None:
        self.cells = list(cells)
        self.state = symbol(state) if isinstance(state, str) else state
        """Which of them are shown: `Open`, `Closed` or a list of places."""

    def __repr__(self) -> str:
        return f"<Group of {len(self.cells)}>"


class Notebook:
    """The cells and groups of a notebook, and its options."""

    __slots__ = ("cells", "options", "problems")

    def __init__(self, cells: Iterable[Cell | CellGroup], **options: object) -> None:
        self.cells = list(cells)
        self.options = {name: to_expression(value) for name, value in options.items()}
        self.problems: list[str] = []
        """What was wrong with the text that it was read from."""

    def __repr__(self) -> str:
        return f"<Notebook of {len(self.cells)} cells and groups>"

    def __iter__(self) -> Iterator[Cell]:
        """All cells in reading order, whatever groups they are in."""
        waiting: list[Cell | CellGroup] = self.cells[::-1]
        while waiting:
            found = waiting.pop()
            if isinstance(found, CellGroup):
                waiting += reversed(found.cells)
            else:
                yield found

    @property
    def tagging_rules(self) -> dict[str, object]:
        """The data that programs keep in it."""
        return read_tagging_rules(self.options)


def read_tagging_rules(options: Mapping[str, Expression]) -> dict[str, object]:
    """What an option `TaggingRules` is worth; nothing where it is no data."""
    found = options.get("TaggingRules")
    if not isinstance(found, Node):
        return {}
    if has_head(found, "List"):
        found = Node(symbol("Association"), found.args)
    try:
        value = evaluate(found)
    except DataError:
        return {}
    return value if isinstance(value, dict) else {}


def to_expression(value: object) -> Expression:
    """A Python value as an expression; expressions stay what they are.

    Raises:
        TypeError: for what is no value of this kind.
    """
    if isinstance(value, Atom | Node):
        return value
    if isinstance(value, str):
        return ascii_string(value)
    if value is None or isinstance(value, bool):
        return symbol(str(value))
    if isinstance(value, int | float):
        return Atom("number", repr(value).replace("e", "*^"))
    if isinstance(value, list | tuple):
        return make_list(to_expression(item) for item in value)
    if isinstance(value, dict):
        rules = (make_rule(ascii_string(key), to_expression(item)) for key, item in value.items())
        return call("Association", *rules)
    raise TypeError(f"{type(value).__name__} is no value that a notebook can hold")


def make_list(items: Iterable[Expression]) -> Node:
    """`{…}`."""
    return Node(symbol("List"), list(items), form="list")


def make_rule(left: Expression, right: Expression) -> Node:
    """`left -> right`."""
    return Node(symbol("Rule"), [left, right], form="->")
