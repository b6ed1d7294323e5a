"""Values of a symbol in a kernel: attributes and definitions.

The symbol is not evaluated: functions such as `OwnValues` return definitions unevaluated. If an
engine does not keep a pattern in its original form, it is restored from the session's code.
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
"""Functions that return definitions, in the order in which these are shown."""
# Some engines evaluate the symbol that is the argument of these functions.
_EVALUATING_FUNCTIONS = ("Options", "FormatValues")
_ASSIGNMENT_KINDS = {"DownValues": "down", "SubValues": "sub", "UpValues": "up"}
_BLANK_HEADS = ("Blank", "BlankSequence", "BlankNullSequence")
_LOWERED_PATTERN = re.compile(r"(?<![\w$`])_{1,2}(?:dv|sp|up)\d+(?=_)|(?<![\w$`])__opts\d+___")
"""Names that Woxi generates for patterns that it rewrites."""
_LOWERED_MARK = "lowered$pattern"


class SymbolDefinition(NamedTuple):
    """A definition of a symbol."""

    kind: str
    """One of `VALUE_FUNCTIONS`."""
    left: Expression
    right: Expression
    operator: str = ""
    """`Set` or `SetDelayed` if the original code is known, else empty."""
    is_lowered: bool = False
    """Whether the engine has rewritten the pattern on the left."""


class SymbolValues(NamedTuple):
    """All attributes and definitions of a symbol."""

    attributes: tuple[str, ...]
    definitions: tuple[SymbolDefinition, ...]
    unparsed: tuple[str, ...] = ()
    """Output of the engine that cannot be parsed."""


class SessionDefinitions:
    """Definitions in the code that a session has evaluated.

    Used to show a definition as the user wrote it when the engine has rewritten its pattern.
    """

    def __init__(self, codes: Iterable[str] = ()) -> None:
        self.symbol_names: set[str] = set()
        """All symbols in the code."""
        self._assignments: dict[tuple[str, str], list[Assignment]] = defaultdict(list)
        for code in codes:
            for expression in parse(code).expressions:
                self.symbol_names.update(_list_symbols(expression))
                for assignment in iter_assignments(expression):
                    self._assignments[assignment.symbol.text, assignment.kind].append(assignment)

    def find_assignment(self, name: str, definition: SymbolDefinition) -> Assignment | None:
        """Return the latest assignment in the session's code that may have made a definition.

        The left side of the kernel's definition may have been rewritten. Assignments are therefore
        matched by the number of arguments and by the right side. Returns None if no assignment
        matches.
        """
        assignments = self._assignments.get((name, _ASSIGNMENT_KINDS.get(definition.kind, "")), ())
        argument_count = _count_arguments(definition.left)
        for assignment in reversed(assignments):
            if assignment.right is None or _count_arguments(assignment.left) != argument_count:
                continue
            if are_equal(assignment.right, definition.right):
                return assignment
        return None


def _list_symbols(expression: Expression) -> Iterator[str]:
    return (
        part.text for part in walk(expression) if isinstance(part, Atom) and part.kind == "symbol"
    )


def _count_arguments(left: Expression) -> int:
    """Return the number of arguments of the function on a left side, or -1 for a variable.

    Conditions around the left side, as in `f[x_] /; x > 0`, are ignored.
    """
    while isinstance(left, Node) and has_head(left, "Condition") and left.args:
        left = left.args[0]
    return len(left.args) if isinstance(left, Node) else -1


def find_contexts(name: str, ask: AskKernel) -> list[str]:
    """Return the sorted contexts that contain a symbol with the given short name.

    The kernel is asked in two ways, and the answers are merged. The first half of the answer has
    full names of symbols, the second half names of contexts.
    """
    answer = ask(
        f'{{Names["*`{name}"], Select[Contexts[], Names[# <> "{name}"] =!= {{}} &]}}',
    )
    contexts: list[str] = []
    for text in re.findall(r'"([^"]*)"', answer or ""):
        context = text if text.endswith("`") else text.rpartition("`")[0] + "`"
        if context not in ("`", *contexts):
            contexts.append(context)
    return sorted(contexts)


def is_known_symbol(name: str, ask: AskKernel) -> bool:
    """Return True if the kernel lists the symbol in `Names`."""
    return (ask(f'Names["{name}"]') or "{}") != "{}"


def load_symbol_values(
    name: str, ask: AskKernel, session: SessionDefinitions, *, is_protected: bool = False
) -> SymbolValues:
    """Return the attributes and definitions of a symbol.

    The own values are read first, because some of the other functions would evaluate a symbol that
    has a value.

    Args:
        name: The name of the symbol.
        ask: Evaluates code in the kernel.
        session: The definitions in the session's code.
        is_protected: Whether to remove the attribute ReadProtected during the query. Only Wolfram
            kernels hide definitions because of it.
    """
    reader = _ValueReader(name, ask, session, is_protected=is_protected)
    own_values = reader.read_definitions(VALUE_FUNCTIONS[:1])
    # A symbol with a value must not be passed to functions that evaluate their argument.
    kinds = [
        kind for kind in VALUE_FUNCTIONS[1:] if not own_values or kind not in _EVALUATING_FUNCTIONS
    ]
    definitions = [*own_values, *reader.read_definitions(kinds)]
    return SymbolValues(get_attributes(name, ask), tuple(definitions), tuple(reader.unparsed))


class _ValueReader:
    """Reads the definitions of one symbol from a kernel. Output that is not code is collected.

    Args:
        name: The name of the symbol.
        ask: Evaluates code in the kernel.
        session: The definitions in the session's code.
        is_protected: Whether the symbol has the attribute ReadProtected, which has to be removed
            during each query.
    """

    def __init__(
        self, name: str, ask: AskKernel, session: SessionDefinitions, *, is_protected: bool
    ) -> None:
        self._name = name
        self._ask_kernel = ask
        self._session_definitions = session
        self._is_protected = is_protected
        self.unparsed: list[str] = []

    def read_definitions(self, kinds: Sequence[str]) -> list[SymbolDefinition]:
        """Return the definitions of several kinds.

        All kinds are queried at once, which takes one evaluation. If the output cannot be parsed,
        they are queried one by one, so that a single unusable definition does not hide the others.
        """
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
        """Evaluate the functions for several kinds in the kernel, and return its answer."""
        name = self._name
        code = f"{{{', '.join(f'{kind}[{name}]' for kind in kinds)}}}"
        if self._is_protected:
            unprotect = f"Unprotect[{name}]; ClearAttributes[{name}, ReadProtected]"
            # InheritedBlock restores the attributes after the query, even if it is aborted.
            code = f"Internal`InheritedBlock[{{{name}}}, {unprotect}; {code}]"
        return self._ask_kernel(code)


def get_attributes(name: str, ask: AskKernel) -> tuple[str, ...]:
    """Return the attributes of a symbol."""
    return tuple(re.findall(r"[A-Za-z]+", ask(f"Attributes[{name}]") or ""))


def _parse_elements(answer: str | None) -> list[Expression | None]:
    """Return the elements of a list in InputForm, or an empty list if it cannot be parsed.

    Names that Woxi generates for patterns are replaced with a mark before parsing.
    """
    source = parse(_LOWERED_PATTERN.sub(_replace_lowered_name, answer or ""))
    if (
        source.problems
        or len(source.expressions) != 1
        or not has_head(source.expressions[0], "List")
    ):
        return []
    return [*source.expressions[0].args]


def _replace_lowered_name(match: re.Match[str]) -> str:
    # Names such as `__opts1___` include the three blanks of a sequence pattern, which have to be
    # kept.
    return f"{_LOWERED_MARK}___" if match[0].startswith("__opts") else _LOWERED_MARK


def _build_definitions(
    kind: str, name: str, part: Expression | None, session: SessionDefinitions
) -> Iterator[SymbolDefinition]:
    """Yield the definitions in the output for one kind."""
    if not isinstance(part, Node) or not is_symbol(part.head, "List"):
        return  # the engine does not know the function
    if kind == "Options":
        if part.args:
            yield SymbolDefinition(kind, Node(Atom("symbol", kind), [Atom("symbol", name)]), part)
        return
    for arg in part.args:
        rule = _split_rule(arg)
        if rule is not None:
            yield _restore_source_form(name, SymbolDefinition(kind, *rule), session)


def _split_rule(rule: Expression) -> tuple[Expression, Expression] | None:
    """Return both sides of `HoldPattern[left] :> right`, or None if the expression is another one.

    Woxi omits brackets around right sides with weaker operators. The parser then finds `:>` inside
    an expression that should be its right side. The outer expressions are therefore moved into the
    right side.
    """
    outer_nodes: list[Node] = []
    node = rule
    while isinstance(node, Node) and not has_head(node, "RuleDelayed") and node.args:
        outer_nodes.append(node)
        node = node.args[0]
    if not isinstance(node, Node) or len(node.args) != 2 or not has_head(node, "RuleDelayed"):
        return None
    left, right = node.args
    for outer_node in reversed(outer_nodes):
        right = Node(outer_node.head, [right, *outer_node.args[1:]])
    if isinstance(left, Node) and has_head(left, "HoldPattern") and left.args:
        left = left.args[0]
    return left, right


def _restore_source_form(
    name: str, definition: SymbolDefinition, session: SessionDefinitions
) -> SymbolDefinition:
    """Return a definition with the left side of the original code, if it is known.

    The engine may have rewritten the pattern on the left side. If the session's code does not
    contain the definition, generated names are removed, and the definition is marked as lowered so
    that the answer says that it is simplified.
    """
    parts = list(walk(definition.left))
    is_lowered = any(is_symbol(part, _LOWERED_MARK) for part in parts)
    if not any(isinstance(part, Atom) and part.text in _BLANK_HEADS for part in parts):
        return definition  # without a pattern, the kernel evaluated the left side
    assignment = session.find_assignment(name, definition)
    if assignment is not None:
        operator = assignment.node.head.text if isinstance(assignment.node.head, Atom) else ""
        return definition._replace(left=assignment.left, operator=operator)
    if not is_lowered:
        return definition
    return definition._replace(left=_remove_marks(definition.left), is_lowered=True)


def _remove_marks(expression: Expression) -> Expression:
    """Return a left side without the names that the engine generated."""
    if isinstance(expression, Atom):
        return expression
    if has_head(expression, "Pattern") and is_symbol(expression.args[0], _LOWERED_MARK):
        return expression.args[1]
    return Node(_remove_marks(expression.head), [_remove_marks(arg) for arg in expression.args])
