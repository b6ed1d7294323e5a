"""The messages that a test expects: reading them, and comparing them with those there were.

A message is its name, `Power::infy`, or `_` for any; `..` after it stands for one or more of them,
`...` for any number.

The tests of a test file, read statically: what is tested, what is expected, and which options.

A file is a row of steps: tests, and expressions between them that prepare something. A test inside
another expression (`Block[{…}, VerificationTest[…]]`) is a step like any other: only a kernel that
has `VerificationTest` could run it, so `hidden` tells how many there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, has_head, is_symbol, walk
from paddock.wolfram.literals import parse_number, parse_string, parse_symbol_name
from paddock.wolfram.parser import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import ParsedSource


ANY_MESSAGE = "_"
"""Stands for a message that may be any."""
_ONE_OR_MORE, _ANY_NUMBER = "..", "..."
_REPEAT_SUFFIXES = {"Repeated": _ONE_OR_MORE, "RepeatedNull": _ANY_NUMBER}
_BLANK_SUFFIXES = {"BlankSequence": _ONE_OR_MORE, "BlankNullSequence": _ANY_NUMBER}


def get_atom_text(expression: Expression) -> str:
    """A string's value, or what a symbol is called; nothing for other expressions."""
    if isinstance(expression, Atom) and expression.kind == "string":
        return parse_string(expression.text)
    if isinstance(expression, Atom) and expression.kind == "symbol":
        return parse_symbol_name(expression.text)
    return ""


def read_expected_messages(expression: Expression) -> tuple[str, ...]:
    """The messages that the third argument of a test stands for."""
    is_list = has_head(expression, "List")
    parts = expression.args if is_list and isinstance(expression, Node) else [expression]
    names = [_read_message(part) for part in parts]
    return tuple(name for name in names if name)


def _read_message(expression: Expression) -> str:
    while isinstance(expression, Node) and expression.args:
        head = get_atom_text(expression.head)
        if head == "MessageName":
            return "::".join(get_atom_text(part) for part in expression.args)
        if head in _REPEAT_SUFFIXES:
            return _read_message(expression.args[0]).rstrip(".") + _REPEAT_SUFFIXES[head]
        if head not in ("HoldForm", "HoldPattern"):
            break
        expression = expression.args[0]
    if not isinstance(expression, Node):
        return ""
    return ANY_MESSAGE + _BLANK_SUFFIXES.get(get_atom_text(expression.head), "")


def are_messages_expected(expected: Sequence[str], messages: Sequence[str]) -> bool:
    """Whether these were the messages; each begins with its name."""
    # Which numbers of expected ones may have been used up so far.
    at = _skip_optional_messages(expected, {0})
    for message in messages:
        name = _get_message_name(message)
        at = _skip_optional_messages(expected, _advance_positions(expected, at, name))
    return len(expected) in at


def _advance_positions(expected: Sequence[str], at: set[int], name: str) -> set[int]:
    found: set[int] = set()
    for place in at:
        wanted = expected[place] if place < len(expected) else ""
        if wanted.rstrip(".") in (ANY_MESSAGE, name):
            found.add(place + 1)
            if wanted.endswith(_ONE_OR_MORE):
                found.add(place)
    return found


def _skip_optional_messages(expected: Sequence[str], at: set[int]) -> set[int]:
    """With the places behind those that may stand for nothing."""
    found = set(at)
    for place, wanted in enumerate(expected):
        if place in found and wanted.endswith(_ANY_NUMBER):
            found.add(place + 1)
    return found


def _get_message_name(message: str) -> str:
    """`Power::infy` of `Power::infy: Infinite expression …`."""
    symbol, mark, rest = message.partition("::")
    return symbol + mark + rest.partition(":")[0].strip() if mark else message


TEST_HEAD = "VerificationTest"
DEFAULT_SAME_TEST = "SameQ"
_TEST_OPTIONS = ("TestID", "SameTest", "TimeConstraint", "MemoryConstraint")
_VALUE_OPTIONS = ("TestID", "TimeConstraint", "MemoryConstraint")
_MAX_ARGUMENTS = 3
_MAX_NUMBER = 1e15
"""More than any limit can be."""


@dataclass(frozen=True, slots=True)
class WolframTest:
    """One test; code is source text."""

    input: str
    line: int
    expected: str = "True"
    messages: tuple[str, ...] = ()
    """The messages that are expected, such as `Power::infy`."""
    test_id: str = ""
    same_test: str = DEFAULT_SAME_TEST
    seconds: float | None = None
    memory_bytes: int | None = None
    section: str = ""
    computed: Mapping[str, str] = field(default_factory=dict)
    """The code of options whose values have to be evaluated, by their names."""
    problem: str = ""
    """Why it cannot be run, if it cannot."""


@dataclass(frozen=True, slots=True)
class SetupStep:
    """Code between the tests."""

    code: str
    line: int
    nested_tests: int = 0
    """How many tests are inside it."""


@dataclass(slots=True)
class WolframTestFile:
    """What a test file has, in its order."""

    steps: list[WolframTest | SetupStep] = field(default_factory=list)

    @property
    def tests(self) -> list[WolframTest]:
        """Only the tests."""
        return [step for step in self.steps if isinstance(step, WolframTest)]

    @property
    def nested_tests(self) -> int:
        """How many tests stand inside other expressions."""
        return sum(step.nested_tests for step in self.steps if isinstance(step, SetupStep))


def parse_tests(
    text: str, *, where: str | None = None, values: Mapping[str, str] | None = None
) -> WolframTestFile:
    """The tests in the text of a file.

    Args:
        text: The text.
        where: The name of the file, for the complaint about it.
        values: What stands for some symbols wherever they appear, as source text.

    Raises:
        WolframSyntaxError: when it cannot be read.
    """
    source = parse(text)
    source.raise_first_problem(where)
    reader = _WltReader(source, values or {})
    for expression in _split_statements(source.expressions):
        reader.add_expression(expression)
    return reader.test_file


class _WltReader:
    """Makes steps of expressions."""

    def __init__(self, source: ParsedSource, values: Mapping[str, str]) -> None:
        self.test_file = WolframTestFile()
        self._source = source
        self._values = {name: value for name, value in values.items() if name in source.text}
        self._sections: list[str] = []

    def add_expression(self, expression: Expression) -> None:
        """Add what an expression at the top is."""
        if has_head(expression, TEST_HEAD):
            self.test_file.steps.append(self._read_test(expression))
        elif not _changes_section(expression, self._sections):
            hidden = sum(has_head(part, TEST_HEAD) for part in walk(expression))
            self.test_file.steps.append(
                SetupStep(self._get_source_text(expression), self._get_line(expression), hidden)
            )

    def _get_line(self, expression: Expression) -> int:
        return self._source.get_position(expression.start)[0]

    def _get_source_text(self, expression: Expression) -> str:
        """The text of an expression, with the values of symbols that have some."""
        text = self._source.text
        if not self._values:
            return text[expression.start : expression.end]
        found = [
            part
            for part in walk(expression)
            if isinstance(part, Atom) and part.kind == "symbol" and part.text in self._values
        ]
        # Their order in an expression need not be that in the text: `x // f`.
        pieces, at = [], expression.start
        for part in sorted(found, key=lambda part: part.start):
            pieces += [text[at : part.start], self._values[part.text]]
            at = part.end
        return "".join([*pieces, text[at : expression.end]])

    def _read_test(self, node: Node) -> WolframTest:
        section = " / ".join(self._sections)
        positional = [arg for arg in node.args if not _is_option(arg)]
        options = _read_options(node.args)
        test_id = get_atom_text(options["TestID"]) if "TestID" in options else ""
        computed = {
            name: self._get_source_text(options[name])
            for name in _VALUE_OPTIONS
            if isinstance(options.get(name), Node)
        }
        if not 1 <= len(positional) <= _MAX_ARGUMENTS:
            problem = f"{TEST_HEAD} has {len(positional)} arguments, expected 1 to {_MAX_ARGUMENTS}"
            shown = self._get_source_text(node)
            line = self._get_line(node)
            return WolframTest(shown, line, test_id=test_id, section=section, problem=problem)
        written = [self._get_source_text(arg) for arg in positional]
        same = options.get("SameTest")
        return WolframTest(
            written[0],
            self._get_line(node),
            written[1] if len(written) > 1 else "True",
            read_expected_messages(positional[2]) if len(positional) > 2 else (),
            test_id,
            self._get_source_text(same) if same is not None else DEFAULT_SAME_TEST,
            get_number(options.get("TimeConstraint")),
            _to_integer(get_number(options.get("MemoryConstraint"))),
            section,
            computed,
        )


def _split_statements(expressions: list[Expression]) -> list[Expression]:
    """The expressions at the top, also of those that semicolons join."""
    found: list[Expression] = []
    for expression in expressions:
        if has_head(expression, "CompoundExpression"):
            found += [part for part in expression.args if not is_symbol(part, "Null")]
        else:
            found.append(expression)
    return found


def _changes_section(expression: Expression, sections: list[str]) -> bool:
    if has_head(expression, "BeginTestSection"):
        names = [get_atom_text(arg) for arg in expression.args[:1]]
        sections.append(names[0] if names else "")
        return True
    if has_head(expression, "EndTestSection"):
        if sections:
            sections.pop()
        return True
    return False


def _is_option(expression: Expression) -> bool:
    """Whether an argument is an option of the test; any other rule may be what is tested."""
    return isinstance(expression, Node) and (_get_option_name(expression) is not None)


def _get_option_name(node: Node) -> str | None:
    if not (has_head(node, "Rule") or has_head(node, "RuleDelayed")) or not node.args:
        return None
    key = node.args[0]
    name = get_atom_text(key) if isinstance(key, Atom) else ""
    return name if name in (*_TEST_OPTIONS, "MetaInformation", "TestFailureAction") else None


def _read_options(args: list[Expression]) -> dict[str, Expression]:
    found: dict[str, Expression] = {}
    for arg in args:
        if isinstance(arg, Node) and (name := _get_option_name(arg)) and len(arg.args) > 1:
            found.setdefault(name, arg.args[1])
    return found


def get_number(expression: Expression | None) -> float | None:
    """The value of a number, which is not larger than limits can be; None for what is none."""
    if not isinstance(expression, Atom) or expression.kind != "number":
        return None
    value = parse_number(expression.text)
    return float(min(value, _MAX_NUMBER)) if value is not None else None


def _to_integer(value: float | None) -> int | None:
    return int(value) if value is not None else None
