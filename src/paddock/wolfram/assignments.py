"""Finds the assignments in source code without evaluating it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from paddock.wolfram.expressions import (
    Atom,
    Node,
    get_head_name,
    get_list_items,
    has_any_head,
    has_head,
    is_atom,
    is_symbol,
    walk,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.wolfram.expressions import Expression

AssignmentKind = Literal["own", "down", "sub", "up", "message", "options", "attributes", "other"]

_PATTERN_WRAPPERS = ("Condition", "HoldPattern", "PatternTest")
_KINDS_BY_HEAD: dict[str, AssignmentKind] = {
    "Options": "options",
    "Attributes": "attributes",
    "MessageName": "message",
    **dict.fromkeys(("Format", "N", "Default"), "other"),
}
"""Assignment kinds, by the head that wraps the symbol: `Options[f] = ...`, `f::usage = ...`."""
_CONTAINER_HEADS = ("CompoundExpression", "If", "Module", "Block", "With", "Quiet")
"""Heads whose arguments are searched, because files often wrap definitions in them."""


class Assignment(NamedTuple):
    """An assignment that defines a symbol in Wolfram Language code, such as `f[x_] := x^2`."""

    symbol: Atom
    """The defined symbol: `f`."""
    kind: AssignmentKind
    """The kind of definition: `down` for `f[x_] := x^2`, `own` for `a = 1`."""
    left: Expression
    right: Expression | None
    """The assigned value, or None for attributes."""
    node: Node
    """The complete assignment."""


def iter_statements(expression: Expression) -> Iterator[Expression]:
    """Yield the statements of an expression: `a`, `b` and `c` for `a; (b; c)`.

    Any expression other than a `CompoundExpression` is a single statement.
    """
    if has_head(expression, "CompoundExpression"):
        for arg in expression.args:
            yield from iter_statements(arg)
    else:
        yield expression


def iter_assignments(expression: Expression) -> Iterator[Assignment]:
    """Yield the assignments that an expression would make when evaluated, in source order.

    Only statements are searched, including those inside `If`, `Module` and similar constructs.
    Arguments of other functions are not searched, because functions may hold or transform them.
    """
    for part in walk(expression, lambda node: get_head_name(node) in _CONTAINER_HEADS):
        if isinstance(part, Node):
            yield from _iter_node_assignments(part)


def _iter_node_assignments(node: Node) -> Iterator[Assignment]:
    """Yield the assignments that a call or operator such as `f[x_] := v` makes.

    A single node can define multiple symbols: `{a, b} = v`, `SetAttributes[{f, g}, Flat]`.
    """
    args = node.args
    match get_head_name(node), len(args):
        case (("Set" | "SetDelayed"), 2):
            yield from _iter_set_assignments(args[0], args[1], node)
        case (("UpSet" | "UpSetDelayed"), 2):
            yield from _iter_up_values(args[0], args[1], node)
        case (("TagSet" | "TagSetDelayed"), 3) if isinstance(args[0], Atom):
            yield Assignment(args[0], "up", args[1], args[2], node)
        case (("SetAttributes" | "ClearAttributes"), count) if count:
            for target in get_list_items(args[0]):
                if is_atom(target, "symbol"):
                    yield Assignment(target, "attributes", args[0], None, node)


def _iter_set_assignments(left: Expression, right: Expression, node: Node) -> Iterator[Assignment]:
    """Yield the assignments made by `Set` or `SetDelayed`, the operators `=` and `:=`.

    A list on the left side, as in `{a, b} = v`, assigns to each of its elements.
    """
    if has_head(left, "List"):
        for element in left.args:
            yield from _iter_set_assignments(element, right, node)
        return
    target = _find_target(left)
    if target is not None:
        yield Assignment(*target, left, right, node)


def _find_target(left: Expression) -> tuple[Atom, AssignmentKind] | None:
    """Return the symbol that an assignment defines, and the kind of definition.

    For the left side `f[x_]`, this is the symbol `f` and the kind `down`. Returns None if no
    symbol is defined.
    """
    # `f[x_] /; c` and `HoldPattern[f[x_]]` define `f`.
    while has_any_head(left, _PATTERN_WRAPPERS) and left.args:
        left = left.args[0]
    if isinstance(left, Atom):
        kind: AssignmentKind = "own"
        target = _find_root_symbol(left)
    elif has_any_head(left, _KINDS_BY_HEAD):
        kind = _KINDS_BY_HEAD[get_head_name(left)]
        target = _find_root_symbol(left.args[0]) if left.args else None
    else:
        # `f[x][y] = v` is a subvalue of `f`.
        kind = "sub" if isinstance(left.head, Node) else "down"
        target = _find_root_symbol(left)
    return None if target is None else (target, kind)


def _find_root_symbol(expression: Expression) -> Atom | None:
    """Return the symbol that a call belongs to: `f` for `f`, `f[x]`, `f[x][y]` and so on."""
    while isinstance(expression, Node):
        expression = expression.head
    return expression if is_atom(expression, "symbol") else None


def _iter_up_values(left: Expression, right: Expression, node: Node) -> Iterator[Assignment]:
    """Yield an up-value for each symbol at the first level of the left side."""
    for arg in left.args if isinstance(left, Node) else ():
        target = _find_root_symbol(arg)
        # In `f[x_] ^= v`, the pattern's head is not a symbol being defined.
        if target is not None and not is_symbol(target, "Pattern"):
            yield Assignment(target, "up", left, right, node)
