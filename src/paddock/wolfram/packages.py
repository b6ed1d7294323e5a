"""Packages read without a kernel: which context each symbol in their files is in.

Some engines know qualified names, and not what `BeginPackage`, `Begin` and `Needs` do. `Packages`
follows these through the files and gives the code with full names wherever a symbol that the
packages define is meant. Local variables and the names in patterns stay as they are.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.assignments import assignments
from paddock.wolfram.data import evaluate
from paddock.wolfram.expressions import Atom, Node, is_symbol, walk
from paddock.wolfram.parser import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import Source

GLOBAL, SYSTEM = "Global`", "System`"
_LOADING = ("Needs", "Get")
_BEGINNING = ("BeginPackage", "Begin")
_ENDING = ("EndPackage", "End")


class Unit(NamedTuple):
    """A file of a package."""

    text: str
    where: str


class _Place(NamedTuple):
    """The current context, and those that are searched after it."""

    context: str
    path: tuple[str, ...]

    @property
    def searched(self) -> tuple[str, ...]:
        return (self.context, *self.path)


class _Step(NamedTuple):
    """An expression of a file, and in which contexts its names are looked up."""

    source: Source
    expression: Expression
    place: _Place


class Packages:
    """The packages of a paclet."""

    def __init__(
        self, find: Callable[[str], Unit | None], is_system: Callable[[str], bool]
    ) -> None:
        self._find = find
        self._is_system = is_system
        self._defined: defaultdict[str, set[str]] = defaultdict(set)
        self._steps: list[_Step] = []
        self._begun: set[str] = set()
        self.missing: list[str] = []
        """Contexts that are asked for and that nobody has."""
        self.problems: list[str] = []
        """What cannot be read, with its place."""

    @property
    def contexts(self) -> tuple[str, ...]:
        """The contexts that were loaded."""
        return tuple(self._begun)

    def load(self, context: str) -> bool:
        """Read the file of a context, and those that it asks for; whether there is one."""
        if context in self._begun:
            return True
        unit = self._find(context)
        if unit is None:
            return False
        self._begun.add(context)
        self._read(unit)
        return True

    def new_code(self) -> list[str]:
        """What a kernel has to evaluate to have all definitions since this was last asked for."""
        steps, self._steps = self._steps, []
        return [self._qualified(step.source, step.expression, step.place) for step in steps]

    def resolved(self, text: str) -> str:
        """Code from outside the packages, as if all of their contexts were searched for it."""
        source = parse(text)
        if source.problems or len(source.expressions) != 1:
            return text
        place = _Place(GLOBAL, (*self._public(), SYSTEM))
        return self._qualified(source, source.expressions[0], place)

    def has(self, name: str) -> bool:
        """Whether the packages define a symbol of a full name."""
        context, _, short = name.rpartition("`")
        return short in self._defined.get(f"{context}`", ())

    def _public(self) -> list[str]:
        return sorted(self._begun)

    def _read(self, unit: Unit) -> None:
        source = parse(unit.text)
        if source.problems:
            line, column = source.position(source.problems[0].start)
            self.problems.append(f"{unit.where}:{line}:{column}: {source.problems[0].message}")
            return
        reading = _Reading(self._load_for)
        for expression in source.expressions:
            place = reading.place
            if reading.takes(expression):
                continue
            self._note(expression, place)
            self._steps.append(_Step(source, expression, place))

    def _load_for(self, context: str) -> bool:
        found = self.load(context)
        if not found and not context.startswith(SYSTEM) and context not in self.missing:
            self.missing.append(context)
        return found

    def _note(self, expression: Expression, place: _Place) -> None:
        """Take note of what an expression defines, or makes known by naming it alone."""
        named = [made.symbol for made in assignments(expression)]
        bare = _statement(expression)
        if isinstance(bare, Atom) and bare.kind == "symbol":
            named.append(bare)
        for atom in named:
            if "`" not in atom.text and self._is_system(atom.text):
                continue
            name = self._full(atom.text, place) or _absolute(atom.text, place.context)
            context, _, short = name.rpartition("`")
            self._defined[f"{context}`"].add(short)

    def _full(self, name: str, place: _Place) -> str | None:
        """The full name of a symbol that the packages define; None for all others."""
        if "`" in name:
            name = _absolute(name, place.context)
            return name if self.has(name) else None
        for context in place.searched:
            if name in self._defined.get(context, ()):
                return context + name
        return None

    def _qualified(self, source: Source, expression: Expression, place: _Place) -> str:
        pieces: list[str] = []
        at = expression.start
        atoms = (part for part in walk(expression) if isinstance(part, Atom) and part.start >= at)
        for atom in sorted(atoms, key=lambda one: one.start):
            if atom.kind != "symbol" or source.text[atom.start : atom.end] != atom.text:
                continue
            full = self._full(atom.text, place)
            if full is not None and not full.startswith(GLOBAL):
                pieces += [source.text[at : atom.start], full]
                at = atom.end
        return "".join([*pieces, source.text[at : expression.end]])


class _Reading:
    """Where one is in a file: in which package, and which part of it."""

    def __init__(self, load: Callable[[str], bool]) -> None:
        self.place = _Place(GLOBAL, (GLOBAL, SYSTEM))
        self._load = load
        self._outer: list[_Place] = []
        self._packages: list[str] = []

    def takes(self, expression: Expression) -> bool:
        """Whether an expression is about contexts, and has been followed."""
        bare = _statement(expression)
        if not isinstance(bare, Node) or not isinstance(bare.head, Atom):
            return False
        head = bare.head.text
        given = [evaluate(arg) for arg in bare.args]
        if head in _BEGINNING and given and isinstance(given[0], str):
            self._begin(head, _absolute(given[0], self.place.context), given[1:])
        elif head in _ENDING and not given:
            self._end(head)
        elif head in _LOADING and given and isinstance(given[0], str) and given[0].endswith("`"):
            self._need(given[0])
        else:
            return False
        return True

    def _begin(self, head: str, context: str, needed: list[object]) -> None:
        self._outer.append(self.place)
        if head == "Begin":
            self.place = self.place._replace(context=context)
            return
        self._packages.append(context)
        self.place = _Place(context, (context, SYSTEM))
        for one in needed:
            for name in one if isinstance(one, list) else [one]:
                if isinstance(name, str):
                    self._need(name)

    def _end(self, head: str) -> None:
        if self._outer:
            self.place = self._outer.pop()
        if head == "EndPackage" and self._packages:
            self._search(self._packages.pop())

    def _need(self, context: str) -> None:
        if self._load(context):
            self._search(context)

    def _search(self, context: str) -> None:
        if context not in self.place.path:
            self.place = self.place._replace(path=(context, *self.place.path))


def _absolute(name: str, context: str) -> str:
    """The full form of a name or context as it is written within a context."""
    if name.startswith("`"):
        return context + name[1:]
    return name if "`" in name else context + name


def _statement(expression: Expression) -> Expression:
    """What is evaluated in `expression;`."""
    if isinstance(expression, Node) and is_symbol(expression.head, "CompoundExpression"):
        parts = expression.args
        if len(parts) == 2 and is_symbol(parts[1], "Null"):
            return parts[0]
    return expression
