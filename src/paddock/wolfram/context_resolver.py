"""Packages read without a kernel: which context each symbol in their files is in.

Some engines know qualified names, and not what `BeginPackage`, `Begin` and `Needs` do. `Packages`
follows these through the files and gives the code with full names wherever a symbol that the
packages define is meant. Local variables and the names in patterns stay as they are.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.assignments import iter_assignments
from paddock.wolfram.expressions import Atom, Node, is_symbol, walk
from paddock.wolfram.literals import evaluate
from paddock.wolfram.parser import parse

if TYPE_CHECKING:
    from collections.abc import Callable

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.source import ParsedSource

GLOBAL_CONTEXT, SYSTEM_CONTEXT = "Global`", "System`"
_LOAD_HEADS = ("Needs", "Get")
_BEGIN_HEADS = ("BeginPackage", "Begin")
_END_HEADS = ("EndPackage", "End")


class PackageFile(NamedTuple):
    """A file of a package."""

    text: str
    display_name: str


class _ContextState(NamedTuple):
    """The current context, and those that are searched after it."""

    context: str
    path: tuple[str, ...]

    @property
    def search_path(self) -> tuple[str, ...]:
        return (self.context, *self.path)


class _PackageExpression(NamedTuple):
    """An expression of a file, and in which contexts its names are looked up."""

    source: ParsedSource
    expression: Expression
    context_state: _ContextState


class ContextResolver:
    """The packages of a paclet."""

    def __init__(
        self, find: Callable[[str], PackageFile | None], is_system: Callable[[str], bool]
    ) -> None:
        self._find_file = find
        self._is_system = is_system
        self._symbols_by_context: defaultdict[str, set[str]] = defaultdict(set)
        self._pending_expressions: list[_PackageExpression] = []
        self._loaded_contexts: set[str] = set()
        self.missing_contexts: list[str] = []
        """Contexts that are asked for and that nobody has."""
        self.problems: list[str] = []
        """What cannot be read, with its place."""

    @property
    def contexts(self) -> tuple[str, ...]:
        """The contexts that were loaded."""
        return tuple(self._loaded_contexts)

    def load(self, context: str) -> bool:
        """Read the file of a context, and those that it asks for; whether there is one."""
        if context in self._loaded_contexts:
            return True
        unit = self._find_file(context)
        if unit is None:
            return False
        self._loaded_contexts.add(context)
        self._read_file(unit)
        return True

    def take_new_code(self) -> list[str]:
        """What a kernel has to evaluate to have all definitions since this was last asked for."""
        steps, self._pending_expressions = self._pending_expressions, []
        return [
            self._qualify_names(step.source, step.expression, step.context_state) for step in steps
        ]

    def qualify_code(self, text: str) -> str:
        """Code from outside the packages, as if all of their contexts were searched for it."""
        source = parse(text)
        if source.problems or len(source.expressions) != 1:
            return text
        place = _ContextState(GLOBAL_CONTEXT, (*self._list_contexts(), SYSTEM_CONTEXT))
        return self._qualify_names(source, source.expressions[0], place)

    def has_symbol(self, name: str) -> bool:
        """Whether the packages define a symbol of a full name."""
        context, _, short = name.rpartition("`")
        return short in self._symbols_by_context.get(f"{context}`", ())

    def _list_contexts(self) -> list[str]:
        return sorted(self._loaded_contexts)

    def _read_file(self, unit: PackageFile) -> None:
        source = parse(unit.text)
        if source.problems:
            line, column = source.get_position(source.problems[0].start)
            self.problems.append(
                f"{unit.display_name}:{line}:{column}: {source.problems[0].message}"
            )
            return
        reading = _FileContexts(self._load_or_note)
        for expression in source.expressions:
            place = reading.state
            if reading.handle_declaration(expression):
                continue
            self._record_definitions(expression, place)
            self._pending_expressions.append(_PackageExpression(source, expression, place))

    def _load_or_note(self, context: str) -> bool:
        found = self.load(context)
        if (
            not found
            and not context.startswith(SYSTEM_CONTEXT)
            and context not in self.missing_contexts
        ):
            self.missing_contexts.append(context)
        return found

    def _record_definitions(self, expression: Expression, place: _ContextState) -> None:
        """Take note of what an expression defines, or makes known by naming it alone."""
        named = [made.symbol for made in iter_assignments(expression)]
        bare = _strip_semicolon(expression)
        if isinstance(bare, Atom) and bare.kind == "symbol":
            named.append(bare)
        for atom in named:
            if "`" not in atom.text and self._is_system(atom.text):
                continue
            name = self._find_full_name(atom.text, place) or _make_absolute(
                atom.text, place.context
            )
            context, _, short = name.rpartition("`")
            self._symbols_by_context[f"{context}`"].add(short)

    def _find_full_name(self, name: str, place: _ContextState) -> str | None:
        """The full name of a symbol that the packages define; None for all others."""
        if "`" in name:
            name = _make_absolute(name, place.context)
            return name if self.has_symbol(name) else None
        for context in place.search_path:
            if name in self._symbols_by_context.get(context, ()):
                return context + name
        return None

    def _qualify_names(
        self, source: ParsedSource, expression: Expression, place: _ContextState
    ) -> str:
        pieces: list[str] = []
        at = expression.start
        atoms = (part for part in walk(expression) if isinstance(part, Atom) and part.start >= at)
        for atom in sorted(atoms, key=lambda one: one.start):
            if atom.kind != "symbol" or source.text[atom.start : atom.end] != atom.text:
                continue
            full = self._find_full_name(atom.text, place)
            if full is not None and not full.startswith(GLOBAL_CONTEXT):
                pieces += [source.text[at : atom.start], full]
                at = atom.end
        return "".join([*pieces, source.text[at : expression.end]])


class _FileContexts:
    """Where one is in a file: in which package, and which part of it."""

    def __init__(self, load: Callable[[str], bool]) -> None:
        self.state = _ContextState(GLOBAL_CONTEXT, (GLOBAL_CONTEXT, SYSTEM_CONTEXT))
        self._load = load
        self._outer_states: list[_ContextState] = []
        self._open_packages: list[str] = []

    def handle_declaration(self, expression: Expression) -> bool:
        """Whether an expression is about contexts, and has been followed."""
        bare = _strip_semicolon(expression)
        if not isinstance(bare, Node) or not isinstance(bare.head, Atom):
            return False
        head = bare.head.text
        given = [evaluate(arg) for arg in bare.args]
        if head in _BEGIN_HEADS and given and isinstance(given[0], str):
            self._begin_context(head, _make_absolute(given[0], self.state.context), given[1:])
        elif head in _END_HEADS and not given:
            self._end_context(head)
        elif head in _LOAD_HEADS and given and isinstance(given[0], str) and given[0].endswith("`"):
            self._load_context(given[0])
        else:
            return False
        return True

    def _begin_context(self, head: str, context: str, needed: list[object]) -> None:
        self._outer_states.append(self.state)
        if head == "Begin":
            self.state = self.state._replace(context=context)
            return
        self._open_packages.append(context)
        self.state = _ContextState(context, (context, SYSTEM_CONTEXT))
        for one in needed:
            for name in one if isinstance(one, list) else [one]:
                if isinstance(name, str):
                    self._load_context(name)

    def _end_context(self, head: str) -> None:
        if self._outer_states:
            self.state = self._outer_states.pop()
        if head == "EndPackage" and self._open_packages:
            self._add_to_path(self._open_packages.pop())

    def _load_context(self, context: str) -> None:
        if self._load(context):
            self._add_to_path(context)

    def _add_to_path(self, context: str) -> None:
        if context not in self.state.path:
            self.state = self.state._replace(path=(context, *self.state.path))


def _make_absolute(name: str, context: str) -> str:
    """The full form of a name or context as it is written within a context."""
    if name.startswith("`"):
        return context + name[1:]
    return name if "`" in name else context + name


def _strip_semicolon(expression: Expression) -> Expression:
    """What is evaluated in `expression;`."""
    if isinstance(expression, Node) and is_symbol(expression.head, "CompoundExpression"):
        parts = expression.args
        if len(parts) == 2 and is_symbol(parts[1], "Null"):
            return parts[0]
    return expression
