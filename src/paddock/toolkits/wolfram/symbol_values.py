"""A symbol's values in a kernel: attributes and definitions.

The symbol is not evaluated: functions such as `OwnValues` return definitions unevaluated. If an
engine does not keep a pattern in its original form, the pattern is restored from the session's
code.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram import (
    Atom,
    Node,
    are_equal,
    call,
    has_head,
    is_symbol,
    iter_assignments,
    parse,
    symbol,
    walk,
)
from paddock.wolfram.expressions import get_head_name, is_atom

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from paddock.wolfram import Assignment, Expression

    AskKernel = Callable[[str], str | None]

VALUE_FUNCTIONS = (
    *("OwnValues", "DownValues", "SubValues", "UpValues", "NValues", "DefaultValues"),
    *("FormatValues", "Options", "Messages"),
)
"""Functions that return definitions, in display order."""
# Some engines evaluate the symbol that is passed to these functions.
_EVALUATING_FUNCTIONS = ("Options", "FormatValues")
_ASSIGNMENT_KINDS = {"DownValues": "down", "SubValues": "sub", "UpValues": "up"}
_BLANK_HEADS = ("Blank", "BlankSequence", "BlankNullSequence")
_GENERATED_NAME = re.compile(r"(?<![\w$`])_{1,2}(?:dv|sp|up)\d+(?=_)|(?<![\w$`])__opts\d+___")
"""Names that Woxi generates for the patterns that it rewrites, such as `_dv1` in `_dv1_Integer`."""
_GENERATED_MARK = "lowered$pattern"
"""The symbol that replaces a generated name until it is removed from the pattern."""


class SymbolDefinition(NamedTuple):
    """A definition of a Wolfram Language symbol, such as `f[x_] := x^2`."""

    kind: str
    """One of `VALUE_FUNCTIONS`."""
    left: Expression
    right: Expression
    operator: str = ""
    """`Set` or `SetDelayed` if the original code is known, otherwise empty."""
    is_simplified: bool = False
    """True if the engine rewrote the left side and the original code is not known."""


class SymbolValues(NamedTuple):
    """All attributes and definitions of a symbol."""

    attributes: tuple[str, ...]
    definitions: tuple[SymbolDefinition, ...]
    unparsed: tuple[str, ...] = ()
    """Engine output that cannot be parsed."""


class SessionDefinitions:
    """Definitions in the code that a session evaluated.

    Used to show a definition as the user wrote it if the engine rewrote its pattern.
    """

    def __init__(self, codes: Iterable[str] = ()) -> None:
        """Collect the symbols and assignments in a session's code, in order."""
        self.symbol_names: set[str] = set()
        """All symbols in the code."""
        self._assignments: dict[tuple[str, str], list[Assignment]] = defaultdict(list)
        for code in codes:
            for expression in parse(code).expressions:
                self.symbol_names |= {
                    part.text for part in walk(expression) if is_atom(part, "symbol")
                }
                for assignment in iter_assignments(expression):
                    self._assignments[assignment.symbol.text, assignment.kind].append(assignment)

    def find_assignment(self, name: str, definition: SymbolDefinition) -> Assignment | None:
        """Return the latest assignment in the session's code that may have created a definition.

        The left side of the kernel's definition may have been rewritten. Assignments are therefore
        matched by the number of arguments and the right side. Returns None if no assignment
        matches.
        """
        assignments = self._assignments.get((name, _ASSIGNMENT_KINDS.get(definition.kind, "")), ())
        argument_count = _count_arguments(definition.left)
        for assignment in reversed(assignments):
            if (
                assignment.right is not None
                and _count_arguments(assignment.left) == argument_count
                and are_equal(assignment.right, definition.right)
            ):
                return assignment
        return None


def _count_arguments(left: Expression) -> int:
    """Return the number of arguments on the left side of a definition, or -1 for a variable.

    For example, `f[x_, y_]` has two. Conditions, as in `f[x_] /; x > 0`, are ignored.
    """
    while has_head(left, "Condition") and left.args:
        left = left.args[0]
    return len(left.args) if isinstance(left, Node) else -1


def find_contexts(name: str, ask: AskKernel) -> list[str]:
    """Return the sorted contexts (namespaces) that contain a symbol with the given short name.

    The kernel is queried in two ways, and both answers are merged: a list of full symbol names and
    a list of contexts.
    """
    answer = ask(f'{{Names["*`{name}"], Select[Contexts[], Names[# <> "{name}"] =!= {{}} &]}}')
    strings = re.findall(r'"([^"]*)"', answer or "")
    # The context is everything up to the last backquote: `a`b`` in "a`b`f" and in "a`b`".
    return sorted({text.rpartition("`")[0] + "`" for text in strings} - {"`"})


def is_known_symbol(name: str, ask: AskKernel) -> bool:
    """Return True if the kernel lists the symbol in `Names`."""
    return (ask(f'Names["{name}"]') or "{}") != "{}"


def get_attributes(name: str, ask: AskKernel) -> tuple[str, ...]:
    """Return a symbol's attributes."""
    return tuple(re.findall(r"[A-Za-z]+", ask(f"Attributes[{name}]") or ""))


class SymbolReader:
    """Reads the definitions of one symbol from a kernel.

    Args:
        name: The name of the symbol.
        ask: Evaluates code in the kernel.
        session: The definitions in the session's code.
        is_protected: Whether to remove the ReadProtected attribute during each query. Only Wolfram
            kernels hide definitions because of it.
    """

    def __init__(
        self, name: str, ask: AskKernel, session: SessionDefinitions, *, is_protected: bool
    ) -> None:
        self._name = name
        self._ask_kernel = ask
        self._session_definitions = session
        self._is_protected = is_protected
        self._unparsed: list[str] = []

    def read_values(self, attributes: tuple[str, ...]) -> SymbolValues:
        """Return the definitions of the symbol, with the given attributes.

        Own values (the value of a variable) are read first because a symbol that has one must not
        be passed to functions that evaluate their argument. Kernel output that is not valid code is
        returned as `unparsed`.
        """
        own_values = self._read_definitions(VALUE_FUNCTIONS[:1])
        kinds = [
            kind
            for kind in VALUE_FUNCTIONS[1:]
            if not own_values or kind not in _EVALUATING_FUNCTIONS
        ]
        definitions = (*own_values, *self._read_definitions(kinds))
        return SymbolValues(attributes, definitions, tuple(self._unparsed))

    def _read_definitions(self, kinds: Sequence[str]) -> list[SymbolDefinition]:
        """Return the symbol's definitions of the given kinds, such as "DownValues".

        All kinds are queried at once, in one evaluation. If the output cannot be parsed, they are
        queried one by one so that one unusable definition does not hide the others.
        """
        lists: Sequence[Expression | None] = _parse_elements(self._query_values(kinds))
        # If any part of the output is not valid code, it has no elements at all.
        if len(lists) != len(kinds):
            lists = [self._query_kind(kind) for kind in kinds]
        return [
            _restore_source_form(self._name, definition, self._session_definitions)
            for kind, definition_list in zip(kinds, lists, strict=True)
            for definition in _read_definition_list(kind, self._name, definition_list)
        ]

    def _query_kind(self, kind: str) -> Expression | None:
        """Return the list of definitions of one kind, and collect output that is not code."""
        answer = self._query_values([kind])
        elements = _parse_elements(answer)
        if not elements and answer is not None:
            self._unparsed.append(answer)
        return elements[0] if elements else None

    def _query_values(self, kinds: Sequence[str]) -> str | None:
        """Ask the kernel for the given kinds of definitions, and return its answer.

        The code for the kernel is, for example, `{DownValues[f], UpValues[f]}`.
        """
        name = self._name
        code = f"{{{', '.join(f'{kind}[{name}]' for kind in kinds)}}}"
        if self._is_protected:
            unprotect = f"Unprotect[{name}]; ClearAttributes[{name}, ReadProtected]"
            # InheritedBlock restores the attributes after the query, even if it is aborted.
            code = f"Internal`InheritedBlock[{{{name}}}, {unprotect}; {code}]"
        return self._ask_kernel(code)


def _parse_elements(answer: str | None) -> list[Expression]:
    """Parse a kernel's answer such as `{a, b}`, and return the elements of the list.

    An answer that is not a list or cannot be parsed has no elements. The names that the Woxi engine
    generates for patterns are replaced with a mark before parsing.
    """
    source = parse(_GENERATED_NAME.sub(_mark_generated_name, answer or ""))
    if source.problems or len(source.expressions) != 1:
        return []
    expression = source.expressions[0]
    return [*expression.args] if has_head(expression, "List") else []


def _mark_generated_name(match: re.Match[str]) -> str:
    # The three blanks in `__opts1___` are a sequence pattern that must be kept.
    return f"{_GENERATED_MARK}___" if match[0].startswith("__opts") else _GENERATED_MARK


def _read_definition_list(
    kind: str, name: str, definition_list: Expression | None
) -> Iterator[SymbolDefinition]:
    """Yield the definitions in the value of a function such as `DownValues[f]`.

    For example, `{HoldPattern[f[x_]] :> x^2}` has one definition. Options are shown together, as a
    single definition.
    """
    # An engine that does not know the function returns another expression.
    if not has_head(definition_list, "List"):
        return
    if kind == "Options":
        if definition_list.args:
            yield SymbolDefinition(kind, call(kind, symbol(name)), definition_list)
        return
    for rule in definition_list.args:
        sides = _split_delayed_rule(rule)
        if sides is not None:
            yield SymbolDefinition(kind, *sides)


def _split_delayed_rule(rule: Expression) -> tuple[Expression, Expression] | None:
    """Return both sides of a rule `HoldPattern[left] :> right`, or None for another expression.

    The Woxi engine omits the parentheses around right sides with weaker operators. It prints
    `left :> a; b`, which the parser reads as `(left :> a); b`. The outer expressions are therefore
    moved into the right side.
    """
    outer_nodes: list[Node] = []
    node = rule
    while isinstance(node, Node) and not has_head(node, "RuleDelayed") and node.args:
        outer_nodes.append(node)
        node = node.args[0]
    if not has_head(node, "RuleDelayed") or len(node.args) != 2:
        return None
    left, right = node.args
    for outer_node in reversed(outer_nodes):
        right = Node(outer_node.head, [right, *outer_node.args[1:]])
    if has_head(left, "HoldPattern") and left.args:
        left = left.args[0]
    return left, right


def _restore_source_form(
    name: str, definition: SymbolDefinition, session: SessionDefinitions
) -> SymbolDefinition:
    """Return a definition with the original code's left side, if it is known.

    The engine may have rewritten the pattern on the left side. If the session's code does not
    contain the definition, the names that the engine generated are removed. The definition is then
    marked as simplified because parts of the original pattern are missing.
    """
    parts = list(walk(definition.left))
    has_pattern = any(isinstance(part, Atom) and part.text in _BLANK_HEADS for part in parts)
    # Without a pattern, the kernel evaluated the left side, so it differs from the code.
    if not has_pattern:
        return definition
    assignment = session.find_assignment(name, definition)
    if assignment is not None:
        operator = get_head_name(assignment.node)
        return definition._replace(left=assignment.left, operator=operator)
    if any(is_symbol(part, _GENERATED_MARK) for part in parts):
        left = _remove_generated_names(definition.left)
        return definition._replace(left=left, is_simplified=True)
    return definition


def _remove_generated_names(expression: Expression) -> Expression:
    """Return a pattern without the names that the engine generated: `_` instead of `mark:_`.

    `_parse_elements` already replaced these names with a mark, the symbol `_GENERATED_MARK`.
    """
    if isinstance(expression, Atom):
        return expression
    if has_head(expression, "Pattern") and is_symbol(expression.args[0], _GENERATED_MARK):
        return expression.args[1]
    return Node(
        _remove_generated_names(expression.head),
        [_remove_generated_names(arg) for arg in expression.args],
    )
