"""One inspection while it goes on: what has been seen and found so far.

Rules report to it. What can only be told when everything has been seen (who uses a symbol, what is
around a place) is collected here during the walk, and asked afterwards.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.inspection.spans import Spans

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from paddock.wolfram.expressions import Atom, Expression, Node
    from paddock.wolfram.inspection.rule import Rule
    from paddock.wolfram.inspection.scope import Scope
    from paddock.wolfram.source import Source

    Check = Callable[["Inspection", Node], None]
    Afterwards = Callable[["Inspection"], None]


class Edit(NamedTuple):
    """A fix, with offsets."""

    label: str
    start: int
    end: int
    text: str


class Found(NamedTuple):
    """An issue, with offsets."""

    rule: Rule
    start: int
    end: int
    description: str
    argument: str
    confidence: float
    edits: Sequence[Edit]


class Definition(NamedTuple):
    """The left side of a definition that always, or on a condition, holds."""

    target: str
    left: Expression
    is_conditional: bool


class Inspection:
    """What is known of a source that is being inspected."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.found: list[Found] = []
        self.symbols: defaultdict[str, list[int]] = defaultdict(list)
        """Where each symbol stands; in order once the walk is over."""
        self.assigned: defaultdict[str, list[int]] = defaultdict(list)
        """Where a symbol gets a value, is counted up and the like."""
        self.defined: set[str] = set()
        """The symbols that definitions are for."""
        self.scopes: list[Scope] = []
        self.definitions: list[Definition] = []
        self.throws: list[Node] = []
        self.slots: list[Node] = []
        self.catching = Spans()
        """Where a value that is thrown is caught, or nothing is evaluated."""
        self.functions = Spans()
        """Where slots mean something, or nothing is evaluated."""
        self.patterns = Spans()
        """Where code stands for code that is looked for."""
        self.initial_values: set[int] = set()
        """The ids of the assignments in lists of local variables."""
        self.left_out: set[int] = set()
        """Where an argument may be left out."""

    def report(
        self,
        rule: Rule,
        start: int,
        end: int,
        description: str,
        *,
        argument: str = "",
        confidence: float | None = None,
        edits: Sequence[Edit] = (),
    ) -> None:
        """A rule has found something."""
        sure = rule.confidence if confidence is None else confidence
        self.found.append(Found(rule, start, end, description, argument, sure, edits))

    def report_at(
        self,
        rule: Rule,
        expression: Expression,
        description: str,
        *,
        argument: str = "",
        confidence: float | None = None,
        edits: Sequence[Edit] = (),
    ) -> None:
        """A rule has found something that is an expression."""
        self.report(
            rule,
            expression.start,
            expression.end,
            description,
            argument=argument,
            confidence=confidence,
            edits=edits,
        )

    def code(self, expression: Expression) -> str:
        """An expression as it is written."""
        return self.text[expression.start : expression.end]

    def sign(self, left: Expression, text: str, right: Expression) -> int:
        """Where an operator stands between its operands; -1 if it does not."""
        return self.text.find(text, left.end, right.start)


def start_of(atom: Atom, text: str) -> int:
    """Where a symbol itself begins, which may stand in parentheses."""
    return text.rfind(atom.text, atom.start, atom.end) if atom.is_grouped else atom.start


def end_before(text: str, at: int) -> int:
    """Where what stands before a place ends, without the blanks between."""
    while at > 0 and text[at - 1].isspace():
        at -= 1
    return at


def merged(tables: Sequence[Mapping[str, Sequence[Check]]]) -> dict[str, tuple[Check, ...]]:
    """One table of checks of several."""
    names = {name for table in tables for name in table}
    return {
        name: tuple(check for table in tables for check in table.get(name, ())) for name in names
    }
