"""The state of an inspection: its issues, and the facts that the walk collects about the source.

Node checks report issues, or record facts here for the source checks that run after the walk:
positions of symbols, local scopes, definitions, and spans.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import Atom, Expression, Node, has_head
from paddock.wolfram.inspection.rule_table import RULES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from paddock.wolfram.inspection.rule_table import InspectionRule
    from paddock.wolfram.source import ParsedSource

_MAX_QUOTED_CHARACTERS = 60
"""Maximum number of characters of code quoted in an issue description."""
_PATTERN_SCOPE_HEADS = frozenset(
    {"Set", "SetDelayed", "UpSetDelayed", "TagSetDelayed", "RuleDelayed"}
)


class SpanSet:
    """A set of text spans, possibly nested, with a fast test for whether one contains a position.

    The test is a binary search. Add all spans before the first test, which sorts them.
    """

    __slots__ = ("_ends", "_spans", "_starts")

    def __init__(self) -> None:
        self._spans: list[tuple[int, int]] = []
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, start: int, end: int) -> None:
        """Add the span of the characters from `start` up to, but not including, `end`."""
        self._spans.append((start, end))

    def covers(self, position: int) -> bool:
        """Return whether any span contains the position."""
        # Sorting is deferred to the first query, because spans are added during the walk.
        if len(self._starts) != len(self._spans):
            self._spans.sort()
            self._starts = [start for start, _ in self._spans]
            # Keep the furthest end so far, because an outer span can end after the spans nested in
            # it.
            self._ends = list(accumulate((end for _, end in self._spans), max))
        started_count = bisect_right(self._starts, position)
        return started_count > 0 and self._ends[started_count - 1] > position


def count_positions_within(positions: list[int], start: int, end: int) -> int:
    """Return how many of the sorted positions are in a span."""
    return bisect_left(positions, end) - bisect_left(positions, start)


def format_code(code: str) -> str:
    """Quote code in backticks, on one line and truncated if long."""
    line = " ".join(code.split())
    if len(line) > _MAX_QUOTED_CHARACTERS:
        line = f"{line[: _MAX_QUOTED_CHARACTERS - 1]}…"
    return f"`` {line} ``" if "`" in line else f"`{line}`"


class TextSpan(NamedTuple):
    """A part of the source text that is not an expression, such as a comma."""

    start: int
    end: int


class LocalVariable(NamedTuple):
    """A local name in Wolfram Language code: a variable, a parameter, an iterator or a pattern."""

    name: str
    start: int
    """The offset of the name in its declaration."""
    initial: Expression | None = None
    """The initial value, such as `1` in `Module[{x = 1}, …]`."""

    @property
    def end(self) -> int:
        """The offset after the name in its declaration."""
        return self.start + len(self.name)


IssuePlace = Expression | LocalVariable | TextSpan
"""What an issue is about, with its `start` and `end` in the text."""


class LocalScope(NamedTuple):
    """An expression with local names, such as `Module[{x}, …]` or `f[x_] := …`."""

    kind: str
    """The head of the expression, or `iterator`."""
    node: Node
    """The expression."""
    variables: list[LocalVariable]
    """The names that are local to it."""
    is_pattern: bool = False
    """True if the names are those of patterns, which may be declared repeatedly."""

    @property
    def has_parameters(self) -> bool:
        """True if the names are parameters: of a function, a definition or a rule."""
        return self.is_pattern or self.kind == "Function"


def iter_pattern_names(left: Expression) -> Iterator[Atom]:
    """Yield the names of the patterns on the left side of a definition or rule: `x` in `f[x_]`.

    Names in nested definitions are omitted because they are local to those definitions. Names such
    as `opts` in `opts:OptionsPattern[]` are omitted because `OptionValue` uses them implicitly.
    """
    pending = [left]
    while pending:
        part = pending.pop()
        if not isinstance(part, Node):
            continue
        if has_head(part, "Pattern") and len(part.args) == 2:
            name = part.args[0]
            if isinstance(name, Atom) and not has_head(part.args[1], "OptionsPattern"):
                yield name
        head = part.head
        # `f[x_][y_]` also has names in its head.
        if isinstance(head, Node):
            pending.append(head)
        elif head.text in _PATTERN_SCOPE_HEADS:
            continue
        pending += part.args


class IssueFix(NamedTuple):
    """A suggested fix, which replaces part of the text."""

    label: str
    place: IssuePlace
    text: str


class RawIssue(NamedTuple):
    """An issue found by a rule, with source offsets instead of lines and columns."""

    rule: InspectionRule
    place: IssuePlace
    """The expression or the span of the source that the issue concerns."""
    description: str
    argument: str
    """The function that the issue concerns if the rule covers multiple ones, or an empty string."""
    confidence: float
    """The likelihood, from 0 to 1, that the issue is a real mistake."""
    fixes: Sequence[IssueFix]


class DefinitionPattern(NamedTuple):
    """The left side of a definition of a symbol or of a call without arguments."""

    target: str
    left: Expression
    is_conditional: bool


class Inspection:
    """The issues and collected facts of one inspected source.

    Node checks fill it during the walk, and source checks read the collected facts afterwards.
    """

    def __init__(self, source: ParsedSource) -> None:
        self.source = source
        self.text = source.text
        self.issues: list[RawIssue] = []
        self.symbol_positions: defaultdict[str, list[int]] = defaultdict(list)
        """The positions of each symbol, by name. The inspector sorts them after the walk."""
        self.assignment_positions: defaultdict[str, list[int]] = defaultdict(list)
        """Positions where a symbol is assigned or modified, by name."""
        self.defined_symbols: set[str] = set()
        """Symbols that the source defines."""
        self.scopes: list[LocalScope] = []
        self.definitions: list[DefinitionPattern] = []
        self.throws: list[Node] = []
        self.slots: list[Node] = []
        self.catch_spans = SpanSet()
        """Spans where an untagged `Throw` is caught or not evaluated."""
        self.function_spans = SpanSet()
        """Spans where slots are valid or not evaluated."""
        self.pattern_spans = SpanSet()
        """Spans of code that is matched as a pattern, not evaluated."""
        self.initial_values: set[int] = set()
        """Identities of assignments that initialize local variables, as in `Module[{x = 1}, …]`."""
        self.omitted_arguments: set[int] = set()
        """Positions of arguments that are allowed to be omitted."""

    def report_issue(
        self,
        tag: str,
        place: IssuePlace,
        description: str,
        *,
        argument: str = "",
        confidence: float | None = None,
        fixes: Sequence[IssueFix] = (),
    ) -> None:
        """Add an issue to the results of the inspection.

        Args:
            tag: The tag of the violated rule, such as `IfSet`.
            place: The expression or the span of the source that the issue concerns.
            description: A sentence for users, with code in backticks.
            argument: The function that the issue concerns, if the rule covers multiple ones.
            confidence: The likelihood that the issue is a real mistake, from 0 to 1, if it differs
                from the rule's.
            fixes: Text replacements that the user can choose from.
        """
        rule = RULES[tag]
        issue_confidence = rule.confidence if confidence is None else confidence
        self.issues.append(RawIssue(rule, place, description, argument, issue_confidence, fixes))

    def get_code(self, place: IssuePlace) -> str:
        """Return the source text at a place."""
        return self.text[place.start : place.end]

    def quote_code(self, place: IssuePlace) -> str:
        """Return the source text at a place for a description: in backticks and truncated."""
        return format_code(self.get_code(place))

    def build_sign_fixes(
        self, left: Expression, sign: str, right: Expression, replacements: Sequence[str]
    ) -> list[IssueFix]:
        """Return one fix for each possible replacement of the operator sign between two operands.

        The list is empty if the source does not contain the sign, as in `Set[x, y]`.
        """
        start = self.text.find(sign, left.end, right.start)
        if start < 0:
            return []
        place = TextSpan(start, start + len(sign))
        return [
            IssueFix(f"Replace `{sign}` with `{replacement}`", place, replacement)
            for replacement in replacements
        ]


def get_name_span(name: str, start: int) -> TextSpan:
    """Return the span of a name that starts at an offset."""
    return TextSpan(start, start + len(name))


def get_symbol_start(atom: Atom, text: str) -> int:
    """Return the start of the symbol itself.

    The position of a symbol in parentheses includes the parentheses, but issues point to the name.
    """
    return text.rfind(atom.text, atom.start, atom.end) if atom.is_grouped else atom.start


def find_text_end(text: str, position: int) -> int:
    """Return the position after the last non-space character before `position`."""
    while position > 0 and text[position - 1].isspace():
        position -= 1
    return position
