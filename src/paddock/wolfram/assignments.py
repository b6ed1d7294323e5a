"""Definitions in code that is not run: which symbols it gives a value, and how that is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from paddock.wolfram.expressions import Atom, Node, has_head, is_symbol

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
"""What is defined for the symbol inside: `Options[f] = …`, `f::usage = …`."""
_CONTAINER_HEADS = ("CompoundExpression", "If", "Module", "Block", "With", "Quiet")
"""What may stand around definitions that are made when a file is read."""


class Assignment(NamedTuple):
    """One definition of a symbol."""

    symbol: Atom
    kind: AssignmentKind
    left: Expression
    right: Expression | None
    node: Node
    """All of it."""


def iter_statements(expression: Expression) -> Iterator[Expression]:
    """What an expression evaluates one after the other: the parts of `a; b`, and of those."""
    if isinstance(expression, Node) and has_head(expression, "CompoundExpression"):
        for arg in expression.args:
            yield from iter_statements(arg)
    else:
        yield expression


def iter_assignments(expression: Expression) -> Iterator[Assignment]:
    """The definitions that evaluating an expression makes, as far as can be seen, in order."""
    waiting = [expression]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, Node) or not isinstance(node.head, Atom):
            continue
        if node.head.text in _CONTAINER_HEADS:
            waiting += reversed(node.args)
        else:
            yield from _iter_node_assignments(node, node.head.text)


def _iter_node_assignments(node: Node, head: str) -> Iterator[Assignment]:
    args = node.args
    if head in _SET_HEADS and len(args) == 2:
        yield from _iter_set_assignments(args[0], args[1], node)
    elif head in _UP_SET_HEADS and len(args) == 2:
        yield from _iter_up_values(args[0], args[1], node)
    elif head in _TAG_SET_HEADS and len(args) == 3 and isinstance(args[0], Atom):
        yield Assignment(args[0], "up", args[1], args[2], node)
    elif head in _ATTRIBUTE_HEADS and args:
        for one in args[0].args if has_head(args[0], "List") else args[:1]:  # type: ignore[union-attr]  # a list is a node
            if _is_symbol_atom(one):
                yield Assignment(one, "attributes", args[0], None, node)  # type: ignore[arg-type]  # a name is an atom


def _iter_set_assignments(left: Expression, right: Expression, node: Node) -> Iterator[Assignment]:
    if has_head(left, "List"):
        for one in left.args:  # type: ignore[union-attr]  # a list is a node
            yield from _iter_set_assignments(one, right, node)
        return
    found = _find_target(left)
    if found is not None:
        yield Assignment(*found, left, right, node)


def _find_target(left: Expression) -> tuple[Atom, AssignmentKind] | None:
    """The symbol that a left side is a definition of."""
    while isinstance(left, Node) and left.args and _get_symbol_name(left.head) in _PATTERN_WRAPPERS:
        left = left.args[0]
    if isinstance(left, Atom):
        return (left, "own") if _is_symbol_atom(left) else None
    about = _KINDS_BY_HEAD.get(_get_symbol_name(left.head) or "")
    if about is not None:
        inner = left.args[0] if left.args else None
        while isinstance(inner, Node):
            inner = inner.head
        return (inner, about) if inner is not None and _is_symbol_atom(inner) else None
    head, kind = left.head, "down"
    while isinstance(head, Node):
        head, kind = head.head, "sub"
    return (head, "sub" if kind == "sub" else "down") if _is_symbol_atom(head) else None


def _iter_up_values(left: Expression, right: Expression, node: Node) -> Iterator[Assignment]:
    """An up-value belongs to the symbols at the first level of the left side."""
    for arg in left.args if isinstance(left, Node) else ():
        one: Expression = arg
        while isinstance(one, Node):
            one = one.head
        if _is_symbol_atom(one) and not is_symbol(one, "Pattern"):
            yield Assignment(one, "up", left, right, node)


def _get_symbol_name(head: Expression) -> str | None:
    return head.text if isinstance(head, Atom) and head.kind == "symbol" else None


def _is_symbol_atom(expression: Expression) -> bool:
    return isinstance(expression, Atom) and expression.kind == "symbol"
