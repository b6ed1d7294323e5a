"""Stretches of a text, and which places they cover.

What a rule is, and how code is written in what rules say.

Local names: where they are declared and what they hold for.

One inspection while it goes on: what has been seen and found so far.

Rules report to it. What can only be told when everything has been seen (who uses a symbol, what is
around a place) is collected here during the walk, and asked afterwards.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import Atom, Node, has_head

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.reports.inspection_report import Severity
    from paddock.wolfram.expressions import Expression


class SpanSet:
    """Stretches that may lie in each other; asked when all are known."""

    __slots__ = ("_ends", "_found", "_starts")

    def __init__(self) -> None:
        self._found: list[tuple[int, int]] = []
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, start: int, end: int) -> None:
        """One more."""
        self._found.append((start, end))

    def covers(self, at: int) -> bool:
        """Whether any holds this place."""
        if len(self._starts) != len(self._found):
            self._found.sort()
            self._starts = [start for start, _ in self._found]
            self._ends = list(accumulate((end for _, end in self._found), max))
        before = bisect_right(self._starts, at)
        return before > 0 and self._ends[before - 1] > at


def count_positions_within(places: list[int], start: int, end: int) -> int:
    """How many of the places, which are in order, lie in a stretch."""
    return bisect_left(places, end) - bisect_left(places, start)


_MAX_QUOTED_CHARACTERS = 60
"""How many characters of code stand in a sentence."""


class InspectionRule(NamedTuple):
    """What is looked for; `summary` goes on after "reports"."""

    tag: str
    severity: Severity
    confidence: float
    summary: str


def format_code(code: str) -> str:
    """Code in backticks, on one line, and not too much of it."""
    line = " ".join(code.split())
    if len(line) > _MAX_QUOTED_CHARACTERS:
        line = f"{line[: _MAX_QUOTED_CHARACTERS - 1]}…"
    return f"`` {line} ``" if "`" in line else f"`{line}`"


_PATTERN_SCOPE_HEADS = frozenset(
    {"Set", "SetDelayed", "UpSetDelayed", "TagSetDelayed", "RuleDelayed"}
)


class LocalVariable(NamedTuple):
    """A local name, where it is declared, and its initial value."""

    name: str
    start: int
    initial: Expression | None = None

    @property
    def end(self) -> int:
        """Where the declaration ends."""
        return self.start + len(self.name)


class LocalScope(NamedTuple):
    """An expression with local names; `kind` is its head as people call it."""

    kind: str
    node: Node
    variables: list[LocalVariable]
    is_pattern: bool = False
    """Whether they are named patterns, which may stand there several times."""


def iter_pattern_names(left: Expression) -> Iterator[Atom]:
    """The names of the patterns on the left side of a definition or rule.

    Not of definitions in it, which have their own. Options are left out, too: `OptionValue` uses
    them without naming them.
    """
    waiting = [left]
    while waiting:
        part = waiting.pop()
        if not isinstance(part, Node):
            continue
        if has_head(part, "Pattern") and len(part.args) == 2:
            name = part.args[0]
            if isinstance(name, Atom) and not has_head(part.args[1], "OptionsPattern"):
                yield name
        head = part.head
        if not isinstance(head, Atom):
            waiting.append(head)
        elif head.text in _PATTERN_SCOPE_HEADS:
            continue
        waiting += part.args


if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from paddock.wolfram.expressions import Expression
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


def merge_checks(
    tables: Sequence[Mapping[str, Sequence[NodeCheck]]],
) -> dict[str, tuple[NodeCheck, ...]]:
    """One table of checks of several."""
    names = {name for table in tables for name in table}
    return {
        name: tuple(check for table in tables for check in table.get(name, ())) for name in names
    }
