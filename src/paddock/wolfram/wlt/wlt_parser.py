"""Static parser for test files, and comparison of expected and actual messages.

A file is a sequence of steps: tests, and setup code between them. A test inside another expression
(`Block[{...}, VerificationTest[...]]`) is part of a setup step. Only kernels that implement
`VerificationTest` can run it, so the steps count such nested tests.

An expected message is a name such as `Power::infy`, or `_` for any message. The suffix `..` allows
one or more of them, and `...` any number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import (
    Node,
    get_list_items,
    has_any_head,
    has_head,
    is_atom,
    is_symbol,
    walk,
)
from paddock.wolfram.literals import parse_number, parse_string, parse_symbol_name
from paddock.wolfram.parser import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import ParsedSource


ANY_MESSAGE = "_"
"""Matches any message."""
_ONE_OR_MORE, _ANY_NUMBER = "..", "..."
_REPEAT_SUFFIXES = {"Repeated": _ONE_OR_MORE, "RepeatedNull": _ANY_NUMBER}
_BLANK_SUFFIXES = {"BlankSequence": _ONE_OR_MORE, "BlankNullSequence": _ANY_NUMBER}
TEST_HEAD = "VerificationTest"
DEFAULT_SAME_TEST = "SameQ"
_TEST_OPTIONS = ("TestID", "SameTest", "TimeConstraint", "MemoryConstraint")
_VALUE_OPTIONS = ("TestID", "TimeConstraint", "MemoryConstraint")
_MAX_ARGUMENTS = 3
_MAX_NUMBER = 1e15
"""Larger than any useful limit, and small enough to convert to an integer."""


def get_atom_text(expression: Expression) -> str:
    """Return the value of a string literal or the name of a symbol.

    The result is empty for other expressions.
    """
    if is_atom(expression, "string"):
        return parse_string(expression.text)
    return parse_symbol_name(expression.text) if is_atom(expression, "symbol") else ""


def read_expected_messages(expression: Expression) -> tuple[str, ...]:
    """Return the expected messages in the third argument of a test."""
    patterns = [_parse_message_pattern(item) for item in get_list_items(expression)]
    return tuple(pattern for pattern in patterns if pattern)


def _parse_message_pattern(expression: Expression) -> str:
    """Return the pattern of an expected message, such as `Power::infy`, `Power::infy..` or `_`.

    `_` matches any message. The suffix `..` means one or more messages (`Repeated`), and `...` any
    number of them (`RepeatedNull`). Wrappers that prevent evaluation, such as `HoldForm`,
    are ignored. The result is empty if the expression is not a valid message pattern.
    """
    while isinstance(expression, Node) and expression.args:
        head = get_atom_text(expression.head)
        if head == "MessageName":
            return "::".join(get_atom_text(part) for part in expression.args)
        if head in _REPEAT_SUFFIXES:
            pattern = _parse_message_pattern(expression.args[0])
            return pattern.rstrip(".") + _REPEAT_SUFFIXES[head]
        if head not in ("HoldForm", "HoldPattern"):
            break
        expression = expression.args[0]
    if not isinstance(expression, Node):
        return ""
    return ANY_MESSAGE + _BLANK_SUFFIXES.get(get_atom_text(expression.head), "")


def are_messages_expected(expected: Sequence[str], messages: Sequence[str]) -> bool:
    """Return whether the messages of a test match the expected ones, in order.

    Args:
        expected: Patterns such as `Power::infy` or, for any number of messages, `_...`.
        messages: The actual messages. Each one starts with its name.
    """
    # Suffixes allow multiple ways to match, so this simulates a small nondeterministic automaton. A
    # position is the number of expected messages matched so far.
    positions = _skip_optional_messages(expected, {0})
    for message in messages:
        name = _get_message_name(message)
        positions = _skip_optional_messages(expected, _advance_positions(expected, positions, name))
    return len(expected) in positions


def _advance_positions(expected: Sequence[str], positions: set[int], name: str) -> set[int]:
    """Return the positions in `expected` that can be reached by matching one more message.

    A repeatable pattern matches the message and stays current, so both positions are possible.

    Args:
        expected: The patterns of the expected messages.
        positions: The possible positions before the message.
        name: The name of the message.
    """
    next_positions: set[int] = set()
    for position in positions:
        pattern = expected[position] if position < len(expected) else ""
        if pattern.rstrip(".") in (ANY_MESSAGE, name):
            next_positions.add(position + 1)
            if pattern.endswith(_ONE_OR_MORE):
                next_positions.add(position)
    return next_positions


def _skip_optional_messages(expected: Sequence[str], positions: set[int]) -> set[int]:
    """Return the positions and those reachable by skipping patterns that end in `...`."""
    reachable = set(positions)
    for position, pattern in enumerate(expected):
        if position in reachable and pattern.endswith(_ANY_NUMBER):
            reachable.add(position + 1)
    return reachable


def _get_message_name(message: str) -> str:
    """Return `Power::infy` from `Power::infy: Infinite expression ...`."""
    symbol, mark, tag_and_text = message.partition("::")
    return symbol + mark + tag_and_text.partition(":")[0].strip() if mark else message


@dataclass(frozen=True, slots=True)
class WolframTest:
    """One `VerificationTest` of a file. Its code is source text, which the runner evaluates."""

    input: str
    line: int
    expected: str = "True"
    """Code for the expected value."""
    messages: tuple[str, ...] = ()
    """Patterns for the expected messages, such as `Power::infy`."""
    test_id: str = ""
    same_test: str = DEFAULT_SAME_TEST
    """Code of the function that compares the value with the expected one."""
    seconds: float | None = None
    """Time limit."""
    memory_bytes: int | None = None
    """Memory limit."""
    section: str = ""
    """Names of the enclosing test sections, separated by ` / `."""
    computed: Mapping[str, str] = field(default_factory=dict)
    """Code for options that must be evaluated before the test, by option name."""
    problem: str = ""
    """The reason the test cannot be run, or an empty string if it can."""


@dataclass(frozen=True, slots=True)
class SetupStep:
    """Code between tests."""

    code: str
    line: int
    nested_tests: int = 0
    """The number of tests inside the code."""


@dataclass(slots=True)
class WolframTestFile:
    """A parsed test file: its tests and the setup code between them, in order."""

    steps: list[WolframTest | SetupStep] = field(default_factory=list)

    @property
    def tests(self) -> list[WolframTest]:
        """The tests, without setup steps."""
        return [step for step in self.steps if isinstance(step, WolframTest)]

    @property
    def nested_tests(self) -> int:
        """The number of tests inside setup code, which cannot be run one by one."""
        return sum(step.nested_tests for step in self.steps if isinstance(step, SetupStep))


def parse_tests(
    text: str, *, where: str | None = None, values: Mapping[str, str] | None = None
) -> WolframTestFile:
    """Parse a test file into tests and setup steps, without evaluating any code.

    Args:
        text: The text of the file.
        where: The name of the file, for errors.
        values: Replacements for symbols, such as `{"$TestFileName": '"/p/a.wlt"'}`.

    Raises:
        WolframSyntaxError: The file has a syntax error.
    """
    source = parse(text)
    # A file with a syntax error would silently lose tests, so it is not run at all.
    source.raise_first_problem(where)
    builder = _TestFileBuilder(source, values or {})
    for expression in _split_statements(source.expressions):
        builder.add_expression(expression)
    return builder.test_file


class _TestFileBuilder:
    """Converter from top-level expressions to the steps of a test file.

    Args:
        source: The parsed file.
        values: Replacements for symbols, as source text.
    """

    def __init__(self, source: ParsedSource, values: Mapping[str, str]) -> None:
        self.test_file = WolframTestFile()
        self._source = source
        # Most files use none of these symbols and need no substitution.
        self._values = {name: value for name, value in values.items() if name in source.text}
        self._sections: list[str] = []

    def add_expression(self, expression: Expression) -> None:
        """Add a top-level expression to the test file, as a test or as a setup step.

        `BeginTestSection` and `EndTestSection` do not add a step. They change the section of the
        tests that follow.
        """
        if has_head(expression, TEST_HEAD):
            self.test_file.steps.append(self._parse_test(expression))
        elif not _update_sections(self._sections, expression):
            nested_tests = sum(has_head(part, TEST_HEAD) for part in walk(expression))
            code, line = self._get_source_text(expression), self._get_line(expression)
            self.test_file.steps.append(SetupStep(code, line, nested_tests))

    def _get_line(self, expression: Expression) -> int:
        return self._source.get_position(expression.start)[0]

    def _get_source_text(self, expression: Expression) -> str:
        """Return the source text of an expression with the replacements applied."""
        return self._source.get_code(expression, self._values.get if self._values else None)

    def _parse_test(self, node: Node) -> WolframTest:
        """Convert a `VerificationTest[input, expected, messages, options]` to a test.

        Options with literal values are read here. Other option values are returned as code in
        `computed` and must be evaluated before the test runs. An invalid call becomes a test with a
        `problem`, so that it is reported instead of lost.
        """
        positional = [arg for arg in node.args if not _get_option_name(arg)]
        options = _read_options(node.args)
        line, section = self._get_line(node), " / ".join(self._sections)
        test_id = get_atom_text(options["TestID"]) if "TestID" in options else ""
        if not 1 <= len(positional) <= _MAX_ARGUMENTS:
            problem = f"{TEST_HEAD} has {len(positional)} arguments, expected 1 to {_MAX_ARGUMENTS}"
            code = self._get_source_text(node)
            return WolframTest(code, line, test_id=test_id, section=section, problem=problem)
        same_test = options.get("SameTest")
        memory_bytes = get_number(options.get("MemoryConstraint"))
        return WolframTest(
            self._get_source_text(positional[0]),
            line,
            expected=self._get_source_text(positional[1]) if len(positional) > 1 else "True",
            messages=read_expected_messages(positional[2]) if len(positional) > 2 else (),
            test_id=test_id,
            same_test=self._get_source_text(same_test) if same_test else DEFAULT_SAME_TEST,
            seconds=get_number(options.get("TimeConstraint")),
            memory_bytes=None if memory_bytes is None else int(memory_bytes),
            section=section,
            computed={
                name: self._get_source_text(options[name])
                for name in _VALUE_OPTIONS
                if isinstance(options.get(name), Node)
            },
        )


def _split_statements(expressions: list[Expression]) -> list[Expression]:
    """Return the top-level expressions of a file, with `a; b` split into `a` and `b`.

    The `Null` added by a final semicolon is omitted.
    """
    statements: list[Expression] = []
    for expression in expressions:
        if has_head(expression, "CompoundExpression"):
            statements += [part for part in expression.args if not is_symbol(part, "Null")]
        else:
            statements.append(expression)
    return statements


def _update_sections(sections: list[str], expression: Expression) -> bool:
    """Enter or leave a test section if an expression begins or ends one.

    Args:
        sections: The names of the open sections, outermost first. The list is changed.
        expression: A top-level expression of the test file.

    Returns:
        True if the expression is `BeginTestSection[name, …]` or `EndTestSection[]`.
    """
    if has_head(expression, "BeginTestSection"):
        sections.append(get_atom_text(expression.args[0]) if expression.args else "")
        return True
    if has_head(expression, "EndTestSection"):
        if sections:
            sections.pop()
        return True
    return False


def _get_option_name(arg: Expression) -> str | None:
    """Return the name of a test option. Other rules may be the tested expression."""
    if not has_any_head(arg, ("Rule", "RuleDelayed")) or not arg.args:
        return None
    name = get_atom_text(arg.args[0])
    return name if name in (*_TEST_OPTIONS, "MetaInformation", "TestFailureAction") else None


def _read_options(args: list[Expression]) -> dict[str, Expression]:
    options: dict[str, Expression] = {}
    for arg in args:
        if isinstance(arg, Node) and (name := _get_option_name(arg)) and len(arg.args) > 1:
            # Kernels use the first of several values for an option.
            options.setdefault(name, arg.args[1])
    return options


def get_number(expression: Expression | None) -> float | None:
    """Return the value of a number, at most `_MAX_NUMBER`, or None for other expressions."""
    value = parse_number(expression.text) if is_atom(expression, "number") else None
    return None if value is None else float(min(value, _MAX_NUMBER))
