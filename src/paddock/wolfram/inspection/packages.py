"""Rules on packages: what begins must end, and is loaded before it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, has_head
from paddock.wolfram.inspection.inspecting import Edit
from paddock.wolfram.inspection.rule import Rule, as_code
from paddock.wolfram.text import string_value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspecting import Afterwards, Inspection

UNBALANCED_CONTEXT = Rule(
    "UnbalancedContext",
    "Error",
    0.9,
    "`BeginPackage` without `EndPackage`, `Begin` without `End`, and the reverse",
)
SUSPICIOUS_PRIVATE_CONTEXT = Rule(
    "SuspiciousPrivateContext",
    "Error",
    0.95,
    '``Begin["Private`"]``, which is no context within the package',
)
NEEDS_AFTER_USE = Rule(
    "NeedsAfterUse",
    "Warning",
    0.85,
    "a symbol of a context before the `Needs` that loads the context",
)
RULES = (UNBALANCED_CONTEXT, SUSPICIOUS_PRIVATE_CONTEXT, NEEDS_AFTER_USE)

_ENDS = {"End": "Begin", "EndPackage": "BeginPackage"}
_BEGINNINGS = {"Begin": "End", "BeginPackage": "EndPackage"}


def _packages(inspection: Inspection) -> None:
    if inspection.source.problems:
        return
    opened: list[tuple[str, Node]] = []
    needed: dict[str, int] = {}
    for head, node in _statements(inspection):
        if head in _BEGINNINGS:
            opened.append((head, node))
            _private(inspection, head, node)
        elif head in _ENDS:
            _close(inspection, head, node, opened)
        elif head == "Needs":
            context = _context(node)
            if context is not None:
                needed.setdefault(context, node.start)
    for head, node in opened:
        _unbalanced(inspection, head, node, f"`{head}` is not ended by `{_BEGINNINGS[head]}[]`.")
    if needed:
        _used_before(inspection, needed)


def _statements(inspection: Inspection) -> Iterator[tuple[str, Node]]:
    """The calls at the top level."""
    for expression in inspection.source.expressions:
        parts: list[Expression] = [expression]
        if isinstance(expression, Node) and has_head(expression, "CompoundExpression"):
            parts = expression.args
        for part in parts:
            if isinstance(part, Node) and isinstance(part.head, Atom):
                yield part.head.text, part


def _close(inspection: Inspection, head: str, node: Node, opened: list[tuple[str, Node]]) -> None:
    beginning = _ENDS[head]
    if not any(name == beginning for name, _ in opened):
        _unbalanced(inspection, head, node, f"`{head}` ends what no `{beginning}` has begun.")
        return
    while opened:
        name, begun = opened.pop()
        if name == beginning:
            return
        _unbalanced(inspection, name, begun, f"`{name}` is not ended by `{_BEGINNINGS[name]}[]`.")


def _unbalanced(inspection: Inspection, head: str, node: Node, description: str) -> None:
    inspection.report_at(UNBALANCED_CONTEXT, node, description, argument=head)


def _context(node: Node) -> str | None:
    if node.args and isinstance(node.args[0], Atom) and node.args[0].kind == "string":
        return string_value(node.args[0].text)
    return None


def _private(inspection: Inspection, head: str, node: Node) -> None:
    if head == "Begin" and _context(node) == "Private`":
        given = node.args[0]
        inspection.report_at(
            SUSPICIOUS_PRIVATE_CONTEXT,
            given,
            "The context of a package's own symbols begins with a backtick.",
            edits=[Edit('Replace with `` "`Private`" ``', given.start, given.end, '"`Private`"')],
        )


def _used_before(inspection: Inspection, needed: dict[str, int]) -> None:
    for name, places in inspection.symbols.items():
        context, tick, _ = name.rpartition("`")
        at = needed.get(context + tick) if tick else None
        if at is not None and places[0] < at:
            line, _ = inspection.source.position(at)
            inspection.report(
                NEEDS_AFTER_USE,
                places[0],
                places[0] + len(name),
                f"{as_code(name)} is used before `Needs` loads its context, in line {line}.",
            )


AFTERWARDS: tuple[Afterwards, ...] = (_packages,)
