"""Notebooks as data: cells with a content, styles and options, and groups of cells.

Contents that are plain strings are kept as text; everything else (`TextData`, `BoxData`, …) is the
expression that a notebook file holds. Reading and writing files is left to `reading` and `writing`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.errors import PaddockError
from paddock.wolfram.data import DataError, evaluate
from paddock.wolfram.expressions import Atom, Node, call, has_head, symbol
from paddock.wolfram.notebooks.encoding import ascii_string
from paddock.wolfram.text import parse_string

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from paddock.wolfram.expressions import Expression


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
