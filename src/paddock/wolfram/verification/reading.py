"""The tests of a test file, read statically: what is tested, what is expected, and which options.

A file is a row of steps: tests, and expressions between them that prepare something. A test inside
another expression (`Block[{…}, VerificationTest[…]]`) is a step like any other: only a kernel that
has `VerificationTest` could run it, so `hidden` tells how many there are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, has_head, is_symbol, walk
from paddock.wolfram.parser import parse
from paddock.wolfram.text import number_value
from paddock.wolfram.verification.messages import expected_messages, text_of

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import Source

TEST = "VerificationTest"
DEFAULT_SAME_TEST = "SameQ"
_OPTIONS = ("TestID", "SameTest", "TimeConstraint", "MemoryConstraint")
_VALUES = ("TestID", "TimeConstraint", "MemoryConstraint")
_MOST_ARGUMENTS = 3
_MOST = 1e15
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
class Step:
    """Code between the tests."""

    code: str
    line: int
    hidden: int = 0
    """How many tests are inside it."""


@dataclass(slots=True)
class WolframTestFile:
    """What a test file has, in its order."""

    steps: list[WolframTest | Step] = field(default_factory=list)

    @property
    def tests(self) -> list[WolframTest]:
        """Only the tests."""
        return [step for step in self.steps if isinstance(step, WolframTest)]

    @property
    def hidden(self) -> int:
        """How many tests stand inside other expressions."""
        return sum(step.hidden for step in self.steps if isinstance(step, Step))


def read_tests(
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
    source.check(where)
    reader = _Reader(source, values or {})
    for expression in _statements(source.expressions):
        reader.read(expression)
    return reader.found


class _Reader:
    """Makes steps of expressions."""

    def __init__(self, source: Source, values: Mapping[str, str]) -> None:
        self.found = WolframTestFile()
        self._source = source
        self._values = {name: value for name, value in values.items() if name in source.text}
        self._sections: list[str] = []

    def read(self, expression: Expression) -> None:
        """Add what an expression at the top is."""
        if isinstance(expression, Node) and has_head(expression, TEST):
            self.found.steps.append(self._test(expression))
        elif not _changes_section(expression, self._sections):
            hidden = sum(has_head(part, TEST) for part in walk(expression))
            self.found.steps.append(Step(self._written(expression), self._line(expression), hidden))

    def _line(self, expression: Expression) -> int:
        return self._source.position(expression.start)[0]

    def _written(self, expression: Expression) -> str:
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

    def _test(self, node: Node) -> WolframTest:
        section = " / ".join(self._sections)
        positional = [arg for arg in node.args if not _is_option(arg)]
        options = _options(node.args)
        test_id = text_of(options["TestID"]) if "TestID" in options else ""
        computed = {
            name: self._written(options[name])
            for name in _VALUES
            if isinstance(options.get(name), Node)
        }
        if not 1 <= len(positional) <= _MOST_ARGUMENTS:
            problem = f"{TEST} has {len(positional)} arguments, expected 1 to {_MOST_ARGUMENTS}"
            shown = self._written(node)
            line = self._line(node)
            return WolframTest(shown, line, test_id=test_id, section=section, problem=problem)
        written = [self._written(arg) for arg in positional]
        same = options.get("SameTest")
        return WolframTest(
            written[0],
            self._line(node),
            written[1] if len(written) > 1 else "True",
            expected_messages(positional[2]) if len(positional) > 2 else (),
            test_id,
            self._written(same) if same is not None else DEFAULT_SAME_TEST,
            number_of(options.get("TimeConstraint")),
            _whole(number_of(options.get("MemoryConstraint"))),
            section,
            computed,
        )


def _statements(expressions: list[Expression]) -> list[Expression]:
    """The expressions at the top, also of those that semicolons join."""
    found: list[Expression] = []
    for expression in expressions:
        if isinstance(expression, Node) and has_head(expression, "CompoundExpression"):
            found += [part for part in expression.args if not is_symbol(part, "Null")]
        else:
            found.append(expression)
    return found


def _changes_section(expression: Expression, sections: list[str]) -> bool:
    if isinstance(expression, Node) and has_head(expression, "BeginTestSection"):
        names = [text_of(arg) for arg in expression.args[:1]]
        sections.append(names[0] if names else "")
        return True
    if has_head(expression, "EndTestSection"):
        if sections:
            sections.pop()
        return True
    return False


def _is_option(expression: Expression) -> bool:
    """Whether an argument is an option of the test; any other rule may be what is tested."""
    return isinstance(expression, Node) and (_option_name(expression) is not None)


def _option_name(node: Node) -> str | None:
    if not (has_head(node, "Rule") or has_head(node, "RuleDelayed")) or not node.args:
        return None
    key = node.args[0]
    name = text_of(key) if isinstance(key, Atom) else ""
    return name if name in (*_OPTIONS, "MetaInformation", "TestFailureAction") else None


def _options(args: list[Expression]) -> dict[str, Expression]:
    found: dict[str, Expression] = {}
    for arg in args:
        if isinstance(arg, Node) and (name := _option_name(arg)) and len(arg.args) > 1:
            found.setdefault(name, arg.args[1])
    return found


def number_of(expression: Expression | None) -> float | None:
    """The value of a number, which is not larger than limits can be; None for what is none."""
    if not isinstance(expression, Atom) or expression.kind != "number":
        return None
    value = number_value(expression.text)
    return float(min(value, _MOST)) if value is not None else None


def _whole(value: float | None) -> int | None:
    return int(value) if value is not None else None
