"""Assignments in source code, found without evaluating it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from paddock.wolfram.expressions import Atom, Node, has_head, is_symbol, is_symbol_atom

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.wolfram.expressions import Expression

AssignmentKind = Literal["own", "down", "sub", "up", "message", "options", "attributes", "other"]

_SET_HEADS = ("Set", "SetDelayed")
_UP_SET_HEADS = ("UpSet", "UpSetDelayed")
_TAG_SET_HEADS = ("TagSet", "TagSetDelayed")
_ATTRIBUTE_HEADS = ("SetAttributes", "ClearAttributes")
_PATTERN_WRAPPERS = ("Condition", "HoldPattern", "PatternTest")
_KINDS_BY_HEAD: dict[str, AssignmentKind] = {
    "Options": "options",
    "Attributes": "attributes",
    "MessageName": "message",
    **dict.fromkeys(("Format", "N", "Default"), "other"),
}
"""Kinds of assignments to a wrapped symbol: `Options[f] = ...`, `f::usage = ...`."""
_CONTAINER_HEADS = ("CompoundExpression", "If", "Module", "Block", "With", "Quiet")
"""Heads whose arguments are searched: a file's definitions are often wrapped in them."""


class Assignment(NamedTuple):
    """One definition of a symbol."""

    symbol: Atom
    kind: AssignmentKind
    left: Expression
    right: Expression | None
    node: Node
    """The complete assignment."""


def iter_statements(expression: Expression) -> Iterator[Expression]:
    """Yield the statements of an expression: the parts of `a; b`, recursively.

    An expression that is not a `CompoundExpression` is its own single statement.
    """
    if has_head(expression, "CompoundExpression"):
        for arg in expression.args:
            yield from iter_statements(arg)
    else:
        yield expression


def iter_assignments(expression: Expression) -> Iterator[Assignment]:
    """Yield the assignments that evaluating the expression would make, in source order.

    Only assignments at statement level are reported. Statements inside `If`, `Module` and similar
    heads count too.
    """
    pending = [expression]
    while pending:
        node = pending.pop()
        if not isinstance(node, Node) or not isinstance(node.head, Atom):
            continue
        # Only known wrappers are searched, because others may hold or transform the assignment.
        if node.head.text in _CONTAINER_HEADS:
            pending += reversed(node.args)
        else:
            yield from _iter_node_assignments(node, node.head.text)


def _iter_node_assignments(node: Node, head: str) -> Iterator[Assignment]:
    """Yield the assignments that one node makes, such as `f[x_] := v`.

    A single node can define several symbols: `{a, b} = v` and `SetAttributes[{f, g}, Flat]` do.
    """
    args = node.args
    if head in _SET_HEADS and len(args) == 2:
        yield from _iter_set_assignments(args[0], args[1], node)
    elif head in _UP_SET_HEADS and len(args) == 2:
        yield from _iter_up_values(args[0], args[1], node)
    elif head in _TAG_SET_HEADS and len(args) == 3 and isinstance(args[0], Atom):
        yield Assignment(args[0], "up", args[1], args[2], node)
    elif head in _ATTRIBUTE_HEADS and args:
        targets = args[0].args if has_head(args[0], "List") else args[:1]
        for target in targets:
            if is_symbol_atom(target):
                yield Assignment(target, "attributes", args[0], None, node)


def _iter_set_assignments(left: Expression, right: Expression, node: Node) -> Iterator[Assignment]:
    """Yield the assignments of `Set` or `SetDelayed`.

    A list on the left defines each of its elements.
    """
    if has_head(left, "List"):
        for element in left.args:
            yield from _iter_set_assignments(element, right, node)
        return
    target = _find_target(left)
    if target is not None:
        yield Assignment(*target, left, right, node)


def _find_target(left: Expression) -> tuple[Atom, AssignmentKind] | None:
    """Return the symbol that an assignment defines, and the kind of the definition."""
    # `f[x_] /; c` and `HoldPattern[f[x_]]` define `f`.
    while isinstance(left, Node) and left.args and _get_symbol_name(left.head) in _PATTERN_WRAPPERS:
        left = left.args[0]
    if isinstance(left, Atom):
        return (left, "own") if is_symbol_atom(left) else None
    kind_by_head = _KINDS_BY_HEAD.get(_get_symbol_name(left.head) or "")
    if kind_by_head is not None:
        target = _find_root_symbol(left.args[0]) if left.args else None
        return None if target is None else (target, kind_by_head)
    target = _find_root_symbol(left.head)
    # `f[x][y] = v` is a subvalue of `f`.
    kind: AssignmentKind = "sub" if isinstance(left.head, Node) else "down"
    return None if target is None else (target, kind)


def _find_root_symbol(expression: Expression) -> Atom | None:
    """Return the symbol that a call belongs to: `f` for `f`, `f[x]`, `f[x][y]` and so on."""
    while isinstance(expression, Node):
        expression = expression.head
    return expression if is_symbol_atom(expression) else None


def _iter_up_values(left: Expression, right: Expression, node: Node) -> Iterator[Assignment]:
    """Yield the up-values: one for each symbol at the first level of the left side."""
    for arg in left.args if isinstance(left, Node) else ():
        target: Expression = arg
        while isinstance(target, Node):
            target = target.head
        # In `f[x_] ^= v`, the pattern's head is not a symbol to define.
        if is_symbol_atom(target) and not is_symbol(target, "Pattern"):
            yield Assignment(target, "up", left, right, node)


def _get_symbol_name(head: Expression) -> str | None:
    return head.text if isinstance(head, Atom) and head.kind == "symbol" else None
