"""What a kernel knows about a symbol: whether there is one, and what is defined for it.

Nothing that is defined is evaluated: functions such as `OwnValues` give definitions as they are.
Where an engine no longer has a pattern as it was written, the session's earlier code tells.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram import (
    Atom,
    Node,
    are_equal,
    has_head,
    is_symbol,
    iter_assignments,
    parse,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from paddock.wolfram import Assignment, Expression

    AskKernel = Callable[[str], str | None]

VALUE_FUNCTIONS = (
    *("OwnValues", "DownValues", "SubValues", "UpValues", "NValues", "DefaultValues"),
    *("FormatValues", "Options", "Messages"),
)
"""The functions that give definitions, in the order in which these are shown."""
_EVALUATING_FUNCTIONS = ("Options", "FormatValues")
"""Those that evaluate the symbol, in some engines."""
_ASSIGNMENT_KINDS = {"DownValues": "down", "SubValues": "sub", "UpValues": "up"}
_BLANK_HEADS = ("Blank", "BlankSequence", "BlankNullSequence")
_LOWERED_PATTERN = re.compile(r"(?<![\w$`])_{1,2}(?:dv|sp|up)\d+(?=_)|(?<![\w$`])__opts\d+___")
"""Names that Woxi makes up for patterns that it takes apart."""


class SymbolDefinition(NamedTuple):
    """One definition of a symbol."""

    kind: str
    """One of `KINDS`."""
    left: Expression
    right: Expression
    operator: str = ""
    """As it was written, where that is known: `Set` or `SetDelayed`."""
    is_lowered: bool = False
    """Whether the pattern on the left is not the one that was written."""


class SymbolValues(NamedTuple):
    """All that is defined for a symbol."""

    attributes: tuple[str, ...]
    definitions: tuple[SymbolDefinition, ...]
    unparsed: tuple[str, ...] = ()
    """What the engine says and nobody can read."""


class SessionDefinitions:
    """The definitions in code that was evaluated in a session."""

    def __init__(self, codes: Iterable[str] = ()) -> None:
        self.symbol_names: set[str] = set()
        """All symbols in it."""
        self._assignments: dict[tuple[str, str], list[Assignment]] = defaultdict(list)
        for code in codes:
            for expression in parse(code).expressions:
                self.symbol_names.update(_list_symbols(expression))
                for made in iter_assignments(expression):
                    self._assignments[made.symbol.text, made.kind].append(made)

    def find_assignment(self, name: str, definition: SymbolDefinition) -> Assignment | None:
        """How a definition that the kernel has was written."""
        made = self._assignments.get((name, _ASSIGNMENT_KINDS.get(definition.kind, "")), ())
        size = _count_arguments(definition.left)
        for one in reversed(made):
            if one.right is None or _count_arguments(one.left) != size:
                continue
            if are_equal(one.right, definition.right):
                return one
        return None


def _list_symbols(expression: Expression) -> Iterator[str]:
    return (
        part.text for part in walk(expression) if isinstance(part, Atom) and part.kind == "symbol"
    )


def _count_arguments(left: Expression) -> int:
    """How many arguments the function on a left side has."""
    while isinstance(left, Node) and has_head(left, "Condition") and left.args:
        left = left.args[0]
    return len(left.args) if isinstance(left, Node) else -1


def find_contexts(name: str, ask: AskKernel) -> list[str]:
    """The contexts that have a symbol of a short name."""
    answer = ask(
        f'{{Names["*`{name}"], Select[Contexts[], Names[# <> "{name}"] =!= {{}} &]}}',
    )
    found: list[str] = []
    for text in re.findall(r'"([^"]*)"', answer or ""):
        context = text if text.endswith("`") else text.rpartition("`")[0] + "`"
        if context not in ("`", *found):
            found.append(context)
    return sorted(found)


def is_known_symbol(name: str, ask: AskKernel) -> bool:
    """Whether the kernel lists a symbol under a name."""
    return (ask(f'Names["{name}"]') or "{}") != "{}"


def load_symbol_values(
    name: str, ask: AskKernel, written: SessionDefinitions, *, is_protected: bool = False
) -> SymbolValues:
    """What is defined for a symbol that can be looked at.

    With `is_protected` the attribute ReadProtected is taken away meanwhile, which is for Wolfram's
    own kernels: others show everything.
    """
    reading = _ValueReader(name, ask, written, is_protected=is_protected)
    own = reading.read_definitions(VALUE_FUNCTIONS[:1])
    # Some functions evaluate what they are asked about, which nothing here may do.
    others = [kind for kind in VALUE_FUNCTIONS[1:] if not own or kind not in _EVALUATING_FUNCTIONS]
    definitions = [*own, *reading.read_definitions(others)]
    return SymbolValues(get_attributes(name, ask), tuple(definitions), tuple(reading.unparsed))


class _ValueReader:
    """Asking a kernel for the definitions of a symbol."""

    def __init__(
        self, name: str, ask: AskKernel, written: SessionDefinitions, *, is_protected: bool
    ) -> None:
        self._name = name
        self._ask_kernel = ask
        self._session_definitions = written
        self._is_protected = is_protected
        self.unparsed: list[str] = []

    def read_definitions(self, kinds: Sequence[str]) -> list[SymbolDefinition]:
        """The definitions of some kinds: all at once, or each alone if that cannot be read."""
        parts = _parse_elements(self._query_kinds(kinds))
        if len(parts) != len(kinds):
            parts = [self._read_kind(kind) for kind in kinds]
        return [
            definition
            for kind, part in zip(kinds, parts, strict=True)
            for definition in _build_definitions(kind, self._name, part, self._session_definitions)
        ]

    def _read_kind(self, kind: str) -> Expression | None:
        answer = self._query_kinds([kind])
        elements = _parse_elements(answer)
        if not elements and answer is not None:
            self.unparsed.append(answer)
        return elements[0] if elements else None

    def _query_kinds(self, kinds: Sequence[str]) -> str | None:
        name = self._name
        code = f"{{{', '.join(f'{kind}[{name}]' for kind in kinds)}}}"
        if self._is_protected:
            freed = f"Unprotect[{name}]; ClearAttributes[{name}, ReadProtected]"
            code = f"Internal`InheritedBlock[{{{name}}}, {freed}; {code}]"
        return self._ask_kernel(code)


def get_attributes(name: str, ask: AskKernel) -> tuple[str, ...]:
    """The attributes of a symbol."""
    return tuple(re.findall(r"[A-Za-z]+", ask(f"Attributes[{name}]") or ""))


def _parse_elements(answer: str | None) -> list[Expression | None]:
    """The elements of a list that a kernel gave; none when it cannot be read."""
    source = parse(_LOWERED_PATTERN.sub(_replace_lowered_name, answer or ""))
    if (
        source.problems
        or len(source.expressions) != 1
        or not has_head(source.expressions[0], "List")
    ):
        return []
    return [*source.expressions[0].args]  # type: ignore[union-attr]  # a list is a node


def _replace_lowered_name(found: re.Match[str]) -> str:
    """What stands for a pattern that the engine has taken apart."""
    return f"{_LOWERED_MARK}___" if found[0].startswith("__opts") else _LOWERED_MARK


_LOWERED_MARK = "lowered$pattern"


def _build_definitions(
    kind: str, name: str, part: Expression | None, written: SessionDefinitions
) -> Iterator[SymbolDefinition]:
    if not isinstance(part, Node) or not is_symbol(part.head, "List"):
        return  # the engine does not know the function
    if kind == "Options":
        if part.args:
            yield SymbolDefinition(kind, Node(Atom("symbol", kind), [Atom("symbol", name)]), part)
        return
    for arg in part.args:
        rule = _split_rule(arg)
        if rule is not None:
            yield _restore_source_form(name, SymbolDefinition(kind, *rule), written)


def _split_rule(found: Expression) -> tuple[Expression, Expression] | None:
    """Both sides of `HoldPattern[left] :> right`.

    Woxi writes no brackets around a right side that needs them, so `:>` may be found inside of what
    it ought to contain.
    """
    outer: list[Node] = []
    node = found
    while isinstance(node, Node) and not has_head(node, "RuleDelayed") and node.args:
        outer.append(node)
        node = node.args[0]
    if not isinstance(node, Node) or len(node.args) != 2 or not has_head(node, "RuleDelayed"):
        return None
    left, right = node.args
    for one in reversed(outer):
        right = Node(one.head, [right, *one.args[1:]])
    if isinstance(left, Node) and has_head(left, "HoldPattern") and left.args:
        left = left.args[0]
    return left, right


def _restore_source_form(
    name: str, definition: SymbolDefinition, written: SessionDefinitions
) -> SymbolDefinition:
    """A definition with the left side that was written, if the kernel's is another pattern."""
    parts = list(walk(definition.left))
    is_lowered = any(is_symbol(part, _LOWERED_MARK) for part in parts)
    if not any(isinstance(part, Atom) and part.text in _BLANK_HEADS for part in parts):
        return definition  # what is no pattern was evaluated, and the kernel's is the right one
    found = written.find_assignment(name, definition)
    if found is not None:
        operator = found.node.head.text if isinstance(found.node.head, Atom) else ""
        return definition._replace(left=found.left, operator=operator)
    if not is_lowered:
        return definition
    return definition._replace(left=_remove_marks(definition.left), is_lowered=True)


def _remove_marks(expression: Expression) -> Expression:
    """A left side without the names that an engine has made up."""
    if isinstance(expression, Atom):
        return expression
    if has_head(expression, "Pattern") and is_symbol(expression.args[0], _LOWERED_MARK):
        return expression.args[1]
    return Node(_remove_marks(expression.head), [_remove_marks(arg) for arg in expression.args])
