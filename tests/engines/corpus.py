"""The corpus: what code of the Wolfram Language evaluates to, and whether an answer says so.

`corpus.txt` explains how entries are written. `gaps/ENGINE.txt` lists what an engine is known to
get wrong: the first lines of those entries, by section.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import isclose
from pathlib import Path

from paddock.kernels.kernel import EvaluationResult
from paddock.wolfram import Atom, Expression, are_equal, has_head, parse, parse_number

HERE = Path(__file__).parent
ENGINES = ("woxi", "mathics")
STATUSES = ("timed-out", "out-of-memory", "quit")
_SIGNS = "|!>~@"
_TOLERANCE = 1e-6


@dataclass
class Entry:
    """Some code, and what is right for it."""

    section: str
    code: str
    prints: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    values: list[str] = field(default_factory=list)
    near: str | None = None
    facts: list[str] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The code on one line, as lists of gaps have it."""
        return " ⏎ ".join(line.strip() for line in self.code.split("\n"))

    def fault(self, evaluation: EvaluationResult) -> str | None:
        """What is wrong with an answer; None if it is right."""
        for found, expected, what in (
            (_status(evaluation), self._expected_status(), "ended as"),
            ("\n".join(evaluation.prints), "\n".join(self.prints), "printed"),
            (_names(evaluation), sorted(set(self.messages)), "gave the messages"),
        ):
            if found != expected:
                return f"{what} {found!r}, expected {expected!r}"
        if "picture" in self.facts:
            has_picture = any(output.kind == "picture" for output in evaluation.outputs)
            return None if has_picture else f"has no picture: {evaluation.result!r}"
        return self._value_fault(evaluation.result)

    def _expected_status(self) -> str:
        return next((fact for fact in self.facts if fact in STATUSES), "done")

    def _value_fault(self, result: str | None) -> str | None:
        if result is None:
            return "has no value" if self.values or self.near else None
        found = _read(result)
        if self.near is not None:
            is_right = found is not None and _is_near(found, _read(self.near))
        else:
            is_right = found is not None and any(_is_same(found, each) for each in self.values)
        return None if is_right else f"is {result!r}, expected {self.near or self.values[0]!r}"


def read_corpus() -> dict[str, list[Entry]]:
    """All entries by section, in their order."""
    sections: dict[str, list[Entry]] = {}
    text = (HERE / "corpus.txt").read_text("utf-8")
    for block in text.split("\n== ")[1:]:
        title, _, rest = block.partition("\n")
        parts = re.split(r"\n{2,}", rest.strip("\n"))
        sections[title] = [_entry(title, part.split("\n")) for part in parts]
    return sections


def _entry(section: str, lines: list[str]) -> Entry:
    count = next(i for i, line in enumerate(lines) if line[:2] in [f"{s} " for s in _SIGNS])
    entry = Entry(section, "\n".join(lines[:count]))
    targets = {"|": entry.prints, "!": entry.messages, ">": entry.values, "@": entry.facts}
    for line in lines[count:]:
        if line[0] == "~":
            entry.near = line[2:]
        else:
            targets[line[0]].append(line[2:])
    return entry


def read_gaps(engine: str) -> dict[str, list[str]]:
    """The names of entries that an engine is known to get wrong, by section."""
    gaps: dict[str, list[str]] = {}
    section = ""
    for line in (HERE / "gaps" / f"{engine}.txt").read_text("utf-8").splitlines():
        if line.startswith("== "):
            section = line[3:]
            gaps[section] = []
        elif line and section:
            gaps[section].append(line)
    return gaps


def _status(evaluation: EvaluationResult) -> str:
    return evaluation.status


def _names(evaluation: EvaluationResult) -> list[str]:
    """The names of messages, each once: engines differ in how often they say a thing."""
    ours = ("General::quit",)
    names = {text.partition(": ")[0].strip() for text in evaluation.messages}
    return sorted(names - {*ours})


def _read(text: str) -> Expression | None:
    source = parse(text)
    if source.problems or len(source.expressions) != 1:
        return None
    return source.expressions[0]


def _is_same(found: Expression, expected: str) -> bool:
    right = _read(expected)
    if right is None:
        return False
    if has_head(right, "Failure") and has_head(found, "Failure"):
        return are_equal(right.args[0], found.args[0])
    _normalise(found)
    _normalise(right)
    return are_equal(found, right)


def _normalise(expression: Expression) -> None:
    """Write machine numbers in one way: `1.5` and 1.5` are the same."""
    for atom in _atoms(expression):
        if atom.kind == "number" and atom.text.endswith("`"):
            atom.text = atom.text[:-1]


def _atoms(expression: Expression) -> Iterator[Atom]:
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        if isinstance(part, Atom):
            yield part
        else:
            waiting += [part.head, *part.args]


def _is_near(found: Expression, expected: Expression | None) -> bool:
    """Whether two expressions differ in the last digits of numbers only."""
    if expected is None:
        return False
    ours, theirs = list(_atoms(found)), list(_atoms(expected))
    return len(ours) == len(theirs) and all(
        _is_near_atom(one, other) for one, other in zip(ours, theirs, strict=True)
    )


def _is_near_atom(one: Atom, other: Atom) -> bool:
    if one.kind == other.kind == "number":
        left, right = parse_number(one.text), parse_number(other.text)
        return left is not None and right is not None and isclose(left, right, rel_tol=_TOLERANCE)
    return (one.kind, one.text) == (other.kind, other.text)
