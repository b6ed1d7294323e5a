"""The notebook model: cells, groups, options, cell styles, and runs of formatted text.

Plain strings in cells are kept as `str`. Any other content (`TextData`, `BoxData`, ...) is the
expression from the file. A paragraph is a flat list of runs, each with its complete style and link,
so nested emphasis needs no tree.
"""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Literal, NamedTuple

from paddock.errors import PaddockError
from paddock.wolfram.expressions import Atom, Node, call, has_head, symbol
from paddock.wolfram.literals import DataError, evaluate, parse_string
from paddock.wolfram.notebooks.character_encoding import ascii_string

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from paddock.wolfram.expressions import Expression


RunKind = Literal["text", "code", "formula", "raw"]
Emphasis = Literal["bold", "italic", "struck"]


class TextStyle(NamedTuple):
    """The emphasis of a run, and its link target."""

    emphasis: frozenset[Emphasis] = frozenset()
    link: str = ""


PLAIN_STYLE = TextStyle()


class TextRun(NamedTuple):
    """A piece of text in one style."""

    text: str
    kind: RunKind = "text"
    """The kind of text: a `formula` is TeX, and `raw` is Markdown, such as an image."""
    style: TextStyle = PLAIN_STYLE


def merge_runs(runs: Iterable[TextRun]) -> list[TextRun]:
    """Return text runs with empty ones removed and consecutive ones in the same style merged."""
    merged_runs: list[TextRun] = []
    nonempty_runs = (run for run in runs if run.text)
    for (kind, style), group in groupby(nonempty_runs, key=attrgetter("kind", "style")):
        if kind == "text":
            merged_runs.append(TextRun("".join(run.text for run in group), "text", style))
        else:
            merged_runs += group
    return merged_runs


HEADING_STYLES = (
    "Title",
    "Section",
    "Subsection",
    "Subsubsection",
    "Subsubsubsection",
    "Subsubsubsubsection",
)
"""Heading styles, in order of their level from 1."""
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
"""Heading styles on documentation pages, by level."""
HEADING_LEVELS = {
    **{style: level for level, style in enumerate(HEADING_STYLES, 1)},
    **{style: level for level, styles in _REFERENCE_PAGE_HEADINGS.items() for style in styles},
    "Chapter": 1,
    "Subchapter": 2,
}
"""The level of each heading style."""
QUOTE_STYLE = "BlockQuote"
"""The style of a quotation. A cell has it once per quotation level."""
QUOTE_STYLES = frozenset((QUOTE_STYLE, "Quote", "Blockquote", "Quotation"))
DELIMITER_STYLE = "Delimiter"


class ItemStyle(NamedTuple):
    """The meaning of a list item style."""

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
"""The meaning of each list item style."""


def get_item_style(level: int, *, is_numbered: bool = False, is_paragraph: bool = False) -> str:
    """Return the style of a list item. Levels deeper than the third use the third level's style."""
    kind = "Paragraph" if is_paragraph else "Numbered" if is_numbered else ""
    return f"{_ITEM_STYLE_NAMES[min(level, MAX_ITEM_LEVEL) - 1]}{kind}"


class NotebookError(PaddockError):
    """The text is not a notebook."""

    code = "notebook"


class Cell:
    """A cell of a notebook: text, code, a heading or an output.

    Args:
        content: Plain text, or an expression such as `call("BoxData", code_to_boxes("1 + 1"))`.
        style: One or more cell styles, such as `Input`. The first one is the main style.
        options: Cell options such as `CellLabel`, as Python values or expressions.
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
        """The main style, or an empty string if the cell has no style."""
        return self.styles[0] if self.styles else ""

    @property
    def label(self) -> str:
        """The cell label, such as `In[1]:=`."""
        return self.get_option_text("CellLabel")

    @property
    def tagging_rules(self) -> dict[str, object]:
        """The metadata that programs store in the cell, by name."""
        return read_tagging_rules(self.options)

    def get_option_text(self, name: str) -> str:
        """Return the value of an option if it is a string, or an empty string otherwise."""
        return get_string(self.options.get(name))


class CellGroup:
    """A group of cells in a notebook: a heading with its section, or an input with its outputs."""

    __slots__ = ("cells", "state")

    def __init__(self, cells: Iterable[Cell | CellGroup], state: str | Expression = "Open") -> None:
        self.cells = list(cells)
        self.state = symbol(state) if isinstance(state, str) else state
        """The visible cells: `Open`, `Closed`, or a list of indices."""

    def __repr__(self) -> str:
        return f"<Group of {len(self.cells)}>"


class Notebook:
    """A Wolfram notebook: its cells, which can be grouped, and its options.

    Iterating over a notebook yields all cells in reading order, including those in groups.

    Args:
        cells: The cells and groups at the top level.
        options: Notebook options such as `StyleDefinitions`, as Python values or expressions.
    """

    __slots__ = ("cells", "options", "problems")

    def __init__(self, cells: Iterable[Cell | CellGroup], **options: object) -> None:
        self.cells = list(cells)
        self.options = {name: to_expression(value) for name, value in options.items()}
        self.problems: list[str] = []
        """Descriptions of syntax problems in the file that the notebook was read from."""

    def __repr__(self) -> str:
        return f"<Notebook of {len(self.cells)} cells and groups>"

    def __iter__(self) -> Iterator[Cell]:
        """Iterate over all cells in reading order, including those in groups."""
        pending: list[Cell | CellGroup] = self.cells[::-1]
        while pending:
            cell_or_group = pending.pop()
            if isinstance(cell_or_group, CellGroup):
                pending += reversed(cell_or_group.cells)
            else:
                yield cell_or_group

    @property
    def tagging_rules(self) -> dict[str, object]:
        """The metadata that programs store in the notebook, by name."""
        return read_tagging_rules(self.options)


def get_string(expression: Expression | None) -> str:
    """Return the value of a string. For other expressions and None, the result is empty."""
    if isinstance(expression, Atom) and expression.kind == "string":
        return parse_string(expression.text)
    return ""


def read_options(args: list[Expression]) -> dict[str, Expression]:
    """Return the options among the arguments of an expression, by name.

    For example, the argument `FontSize -> 12` gives the value `12` for `FontSize`. The value of a
    delayed rule (`:>`) is the whole rule, so it is written back as a delayed rule.
    """
    options: dict[str, Expression] = {}
    for arg in args:
        if isinstance(arg, Node) and len(arg.args) == 2 and isinstance(arg.args[0], Atom):
            key = arg.args[0]
            name = parse_string(key.text) if key.kind == "string" else key.text
            if has_head(arg, "Rule"):
                options[name] = arg.args[1]
            elif has_head(arg, "RuleDelayed"):
                options[name] = arg
    return options


def read_tagging_rules(options: Mapping[str, Expression]) -> dict[str, object]:
    """Return the metadata in the option `TaggingRules` of a cell or notebook, as Python values.

    The dictionary is empty if the option is missing or is not literal data.
    """
    rules = options.get("TaggingRules")
    if not isinstance(rules, Node):
        return {}
    # Older files store the rules as a list instead of an association.
    if has_head(rules, "List"):
        rules = Node(symbol("Association"), rules.args)
    try:
        metadata = evaluate(rules)
    except DataError:
        return {}
    return metadata if isinstance(metadata, dict) else {}


def to_expression(value: object) -> Expression:
    """Convert a Python value to a Wolfram Language expression: for example, a list to `List[…]`.

    Expressions are returned unchanged.

    Raises:
        TypeError: The value has an unsupported type.
    """
    if isinstance(value, Atom | Node):
        return value
    if isinstance(value, str):
        return ascii_string(value)
    # This test precedes the one for numbers, because `bool` is a subclass of `int`.
    if value is None or isinstance(value, bool):
        return symbol(str(value))
    if isinstance(value, int | float):
        # Python writes exponents as `1e+20`, but the language needs `1*^+20`.
        return Atom("number", repr(value).replace("e", "*^"))
    if isinstance(value, list | tuple):
        return make_list(to_expression(item) for item in value)
    if isinstance(value, dict):
        rules = (make_rule(ascii_string(key), to_expression(item)) for key, item in value.items())
        return call("Association", *rules)
    raise TypeError(f"A notebook cannot hold a value of the type {type(value).__name__}")


def make_list(items: Iterable[Expression]) -> Node:
    """Return a list expression."""
    return Node(symbol("List"), list(items), form="list")


def make_rule(left: Expression, right: Expression) -> Node:
    """Return `left -> right`."""
    return Node(symbol("Rule"), [left, right], form="->")


def make_option(name: str, value: object) -> Node:
    """Return the option `name -> value`. The value can be a Python value or an expression."""
    return make_rule(symbol(name), to_expression(value))
