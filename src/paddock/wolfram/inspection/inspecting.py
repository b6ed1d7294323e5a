"""One inspection while it goes on: what has been seen and found so far.

Rules report to it. What can only be told when everything has been seen (who uses a symbol, what is
around a place) is collected here during the walk, and asked afterwards.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.inspection.spans import SpanSet

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from paddock.wolfram.expressions import Atom, Expression, Node
    from paddock.wolfram.inspection.rule import InspectionRule
    from paddock.wolfram.inspection.scope import LocalScope
    from paddock.wolfram.source import ParsedSource

    NodeCheck = Callable[["Inspection", Node], None]
    SourceCheck = Callable[["Inspection"], None]


class IssueFix(NamedTuple):
    """A fix, with offsets."""

    label: str
    start: int
    end: int
    text: str


class RawIssue(NamedTuple):
    """An issue, with offsets."""

    rule: InspectionRule
    start: int
    end: int
    description: str
    argument: str
    confidence: float
    fixes: Sequence[IssueFix]


class DefinitionPattern(NamedTuple):
    """The left side of a definition that always, or on a condition, holds."""

    target: str
    left: Expression
    is_conditional: bool


class Inspection:
    """What is known of a source that is being inspected."""

    def __init__(self, source: ParsedSource) -> None:
        self.source = source
        self.text = source.text
        self.issues: list[RawIssue] = []
        self.symbol_positions: defaultdict[str, list[int]] = defaultdict(list)
        """Where each symbol stands; in order once the walk is over."""
        self.assignment_positions: defaultdict[str, list[int]] = defaultdict(list)
        """Where a symbol gets a value, is counted up and the like."""
        self.defined_symbols: set[str] = set()
        """The symbols that definitions are for."""
        self.scopes: list[LocalScope] = []
        self.definitions: list[DefinitionPattern] = []
        self.throws: list[Node] = []
        self.slots: list[Node] = []
        self.catch_spans = SpanSet()
        """Where a value that is thrown is caught, or nothing is evaluated."""
        self.function_spans = SpanSet()
        """Where slots mean something, or nothing is evaluated."""
        self.pattern_spans = SpanSet()
        """Where code stands for code that is looked for."""
        self.initial_values: set[int] = set()
        """The ids of the assignments in lists of local variables."""
        self.omitted_arguments: set[int] = set()
        """Where an argument may be left out."""

    def report_issue(
        self,
        rule: InspectionRule,
        start: int,
        end: int,
        description: str,
        *,
        argument: str = "",
        confidence: float | None = None,
        edits: Sequence[IssueFix] = (),
    ) -> None:
        """A rule has found something."""
        sure = rule.confidence if confidence is None else confidence
        self.issues.append(RawIssue(rule, start, end, description, argument, sure, edits))

    def report_node_issue(
        self,
        rule: InspectionRule,
        expression: Expression,
        description: str,
        *,
        argument: str = "",
        confidence: float | None = None,
        edits: Sequence[IssueFix] = (),
    ) -> None:
        """A rule has found something that is an expression."""
        self.report_issue(
            rule,
            expression.start,
            expression.end,
            description,
            argument=argument,
            confidence=confidence,
            edits=edits,
        )

    def get_code(self, expression: Expression) -> str:
        """An expression as it is written."""
        return self.text[expression.start : expression.end]

    def find_operator(self, left: Expression, text: str, right: Expression) -> int:
        """Where an operator stands between its operands; -1 if it does not."""
        return self.text.find(text, left.end, right.start)


def get_symbol_start(atom: Atom, text: str) -> int:
    """Where a symbol itself begins, which may stand in parentheses."""
    return text.rfind(atom.text, atom.start, atom.end) if atom.is_grouped else atom.start


def find_text_end(text: str, at: int) -> int:
    """Where what stands before a place ends, without the blanks between."""
    while at > 0 and text[at - 1].isspace():
        at -= 1
    return at


def merge_checks(tables: Sequence[Mapping[str, Sequence[NodeCheck]]]) -> dict[str, tuple[NodeCheck, ...]]:
    """One table of checks of several."""
    names = {name for table in tables for name in table}
    return {
        name: tuple(check for table in tables for check in table.get(name, ())) for name in names
    }
