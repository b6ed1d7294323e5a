"""Rules on packages: what begins must end, and is loaded before it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, has_head
from paddock.wolfram.inspection.inspecting import IssueFix
from paddock.wolfram.inspection.rule import InspectionRule, format_code
from paddock.wolfram.text import parse_string

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspecting import SourceCheck, Inspection

UNBALANCED_CONTEXT = InspectionRule(
    "UnbalancedContext",
    "Error",
    0.9,
    "`BeginPackage` without `EndPackage`, `Begin` without `End`, and the reverse",
)
SUSPICIOUS_PRIVATE_CONTEXT = InspectionRule(
    "SuspiciousPrivateContext",
    "Error",
    0.95,
    '``Begin["Private`"]``, which is no context within the package',
)
NEEDS_AFTER_USE = InspectionRule(
    "NeedsAfterUse",
    "Warning",
    0.85,
    "a symbol of a context before the `Needs` that loads the context",
)
PACKAGE_RULES = (UNBALANCED_CONTEXT, SUSPICIOUS_PRIVATE_CONTEXT, NEEDS_AFTER_USE)

_BEGIN_BY_END = {"End": "Begin", "EndPackage": "BeginPackage"}
_END_BY_BEGIN = {"Begin": "End", "BeginPackage": "EndPackage"}


def _check_packages(inspection: Inspection) -> None:
    if inspection.source.problems:
        return
    opened: list[tuple[str, Node]] = []
    needed: dict[str, int] = {}
    for head, node in _iter_top_level_calls(inspection):
        if head in _END_BY_BEGIN:
            opened.append((head, node))
            _check_private_context(inspection, head, node)
        elif head in _BEGIN_BY_END:
            _close_context(inspection, head, node, opened)
        elif head == "Needs":
            context = _get_context(node)
            if context is not None:
                needed.setdefault(context, node.start)
    for head, node in opened:
        _report_unbalanced_context(inspection, head, node, f"`{head}` is not ended by `{_END_BY_BEGIN[head]}[]`.")
    if needed:
        _check_use_before_needs(inspection, needed)


def _iter_top_level_calls(inspection: Inspection) -> Iterator[tuple[str, Node]]:
    """The calls at the top level."""
    for expression in inspection.source.expressions:
        parts: list[Expression] = [expression]
        if isinstance(expression, Node) and has_head(expression, "CompoundExpression"):
            parts = expression.args
        for part in parts:
            if isinstance(part, Node) and isinstance(part.head, Atom):
                yield part.head.text, part


def _close_context(inspection: Inspection, head: str, node: Node, opened: list[tuple[str, Node]]) -> None:
    beginning = _BEGIN_BY_END[head]
    if not any(name == beginning for name, _ in opened):
        _report_unbalanced_context(inspection, head, node, f"`{head}` ends what no `{beginning}` has begun.")
        return
    while opened:
        name, begun = opened.pop()
        if name == beginning:
            return
        _report_unbalanced_context(inspection, name, begun, f"`{name}` is not ended by `{_END_BY_BEGIN[name]}[]`.")


def _report_unbalanced_context(inspection: Inspection, head: str, node: Node, description: str) -> None:
    inspection.report_node_issue(UNBALANCED_CONTEXT, node, description, argument=head)


def _get_context(node: Node) -> str | None:
    if node.args and isinstance(node.args[0], Atom) and node.args[0].kind == "string":
        return parse_string(node.args[0].text)
    return None


def _check_private_context(inspection: Inspection, head: str, node: Node) -> None:
    if head == "Begin" and _get_context(node) == "Private`":
        given = node.args[0]
        inspection.report_node_issue(
            SUSPICIOUS_PRIVATE_CONTEXT,
            given,
            "The context of a package's own symbols begins with a backtick.",
            edits=[IssueFix('Replace with `` "`Private`" ``', given.start, given.end, '"`Private`"')],
        )


def _check_use_before_needs(inspection: Inspection, needed: dict[str, int]) -> None:
    for name, places in inspection.symbol_positions.items():
        context, tick, _ = name.rpartition("`")
        at = needed.get(context + tick) if tick else None
        if at is not None and places[0] < at:
            line, _ = inspection.source.get_position(at)
            inspection.report_issue(
                NEEDS_AFTER_USE,
                places[0],
                places[0] + len(name),
                f"{format_code(name)} is used before `Needs` loads its context, in line {line}.",
            )


PACKAGE_SOURCE_CHECKS: tuple[SourceCheck, ...] = (_check_packages,)
