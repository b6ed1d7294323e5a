"""Rules on definitions and assignments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, are_equal, has_head
from paddock.wolfram.inspection.inspection import (
    DefinitionPattern,
    InspectionRule,
    IssueFix,
    format_code,
    get_symbol_start,
    iter_pattern_names,
)

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspection import Inspection, NodeCheck, SourceCheck

UNREACHABLE_CONDITIONAL_DEFINITION = InspectionRule(
    "UnreachableConditionalDefinition",
    "Warning",
    0.9,
    "`x /; c := v` or `f[] /; c := v` beside an unconditional definition of the same",
)
DEFINITION_NO_SYMBOL = InspectionRule(
    "DefinitionNoSymbol",
    "Error",
    0.95,
    "a definition whose left side is `_`, `x_` and the like, and so belongs to no symbol",
)
SELF_ASSIGNMENT = InspectionRule(
    "SelfAssignment", "Warning", 0.95, "`x = x`, unless it is in a list of local variables"
)
PATTERN_ON_RIGHT_SIDE = InspectionRule(
    "PatternOnRightSide",
    "Error",
    0.9,
    "`x_` in the value of a definition that has it on its left side: there `x` is meant",
)
SET_NOT = InspectionRule("SetNot", "Warning", 0.85, "`x =! y`, which is `x = Not[y]`")
DEFINITION_RULES = (
    *(UNREACHABLE_CONDITIONAL_DEFINITION, DEFINITION_NO_SYMBOL, SELF_ASSIGNMENT),
    *(PATTERN_ON_RIGHT_SIDE, SET_NOT),
)

_INNER_ARGUMENT_INDICES = {"Pattern": 1, "PatternTest": 0, "Condition": 0, "Optional": 0}
"""Which argument of a pattern is what it says something about."""
_BLANK_HEADS = frozenset({"Blank", "BlankSequence", "BlankNullSequence"})
_PATTERN_FREE_HEADS = frozenset(
    {"Plus", "Times", "Power", "List", "StringJoin", "CompoundExpression"}
)
"""Functions in which a pattern means nothing."""
_MUTATING_HEADS = (
    *("AddTo", "SubtractFrom", "TimesBy", "DivideBy", "ApplyTo", "AppendTo", "PrependTo"),
    *("Increment", "Decrement", "PreIncrement", "PreDecrement", "AssociateTo", "Unset"),
)


def _check_definition(inspection: Inspection, node: Node) -> None:
    if len(node.args) != 2:
        return
    left, right = node.args
    if isinstance(left, Atom) and left.kind == "symbol":
        inspection.assignment_positions[left.text].append(get_symbol_start(left, inspection.text))
    _record_definition(inspection, left)
    if are_equal(left, right):
        if id(node) not in inspection.initial_values:
            inspection.report_node_issue(
                SELF_ASSIGNMENT, node, f"{format_code(inspection.get_code(left))} is set to itself."
            )
        return
    _check_symbol_target(inspection, left)
    _check_pattern_in_value(inspection, left, right)
    _check_set_not(inspection, node, left, right)


def _record_definition(inspection: Inspection, left: Expression) -> None:
    target, is_conditional = left, False
    if isinstance(left, Node) and has_head(left, "Condition") and left.args:
        target, is_conditional = left.args[0], True
    key = _get_plain_target(target)
    if key is not None:
        inspection.definitions.append(DefinitionPattern(key, left, is_conditional))
    name = get_defined_symbol(target)
    if name is not None:
        inspection.defined_symbols.add(name)


def _get_plain_target(target: Expression) -> str | None:
    """`x` or `f[]`, which are the same whenever they are evaluated."""
    if isinstance(target, Atom):
        return target.text if target.kind == "symbol" else None
    if target.args or not isinstance(target.head, Atom):
        return None
    return f"{target.head.text}[]"


def get_defined_symbol(left: Expression) -> str | None:
    """The symbol that a definition is for, as far as can be told."""
    while isinstance(left, Node):
        if isinstance(left.head, Atom) and left.head.text in (
            "Condition",
            "HoldPattern",
            "MessageName",
        ):
            if not left.args:
                return None
            left = left.args[0]
        else:
            left = left.head
    return left.text if left.kind == "symbol" else None


def _check_symbol_target(inspection: Inspection, left: Expression) -> None:
    inner = left
    while isinstance(inner, Node) and isinstance(inner.head, Atom):
        place = _INNER_ARGUMENT_INDICES.get(inner.head.text)
        if place is None or len(inner.args) <= place:
            break
        inner = inner.args[place]
    if (
        isinstance(inner, Node)
        and isinstance(inner.head, Atom)
        and inner.head.text in _BLANK_HEADS
        and not inner.args
    ):
        inspection.report_node_issue(
            DEFINITION_NO_SYMBOL,
            left,
            f"A definition for {format_code(inspection.get_code(left))} belongs to no symbol.",
        )


def _check_pattern_in_value(inspection: Inspection, left: Expression, right: Expression) -> None:
    if not isinstance(left, Node) or not isinstance(right, Node):
        return
    waiting: list[Expression] = [right]
    found: list[tuple[str, Node]] = []
    while waiting:
        inner = waiting.pop()
        if not isinstance(inner, Node) or not isinstance(inner.head, Atom):
            continue
        if inner.head.text in _PATTERN_FREE_HEADS:
            waiting += inner.args
        elif inner.form == "_" and inner.head.text == "Pattern":
            found.append((inner.args[0].text, inner))  # type: ignore[union-attr]  # x_ has a name
    if found:
        names = {name.text for name in iter_pattern_names(left)}
        for name, pattern in found:
            if name in names:
                inspection.report_node_issue(
                    PATTERN_ON_RIGHT_SIDE,
                    pattern,
                    f"`{name}_` is a pattern; its value is `{name}`.",
                    edits=[IssueFix(f"Replace with `{name}`", pattern.start, pattern.end, name)],
                )


def _check_set_not(inspection: Inspection, node: Node, left: Expression, right: Expression) -> None:
    if node.form != "=" or not isinstance(right, Node) or right.form != "prefix !":
        return
    text, at = inspection.text, right.start
    if text[at - 1] == "=" and text[at + 1 : at + 2].isspace() and left.end < at:
        edits = [
            IssueFix(f"Replace `=!` with `{sign}`", at - 1, at + 1, sign) for sign in ("!=", "=!=")
        ]
        inspection.report_node_issue(SET_NOT, node, "`=!` assigns the negation.", edits=edits)


def _record_change(inspection: Inspection, node: Node) -> None:
    if node.args and isinstance(node.args[0], Atom) and node.args[0].kind == "symbol":
        name = node.args[0]
        inspection.assignment_positions[name.text].append(get_symbol_start(name, inspection.text))


def _record_tag_definition(inspection: Inspection, node: Node) -> None:
    name = get_defined_symbol(node.args[0]) if node.args else None
    if name is not None:
        inspection.defined_symbols.add(name)


def _check_unreachable_definitions(inspection: Inspection) -> None:
    always = {one.target for one in inspection.definitions if not one.is_conditional}
    for one in inspection.definitions:
        if one.is_conditional and one.target in always:
            inspection.report_node_issue(
                UNREACHABLE_CONDITIONAL_DEFINITION,
                one.left,
                f"{format_code(one.target)} is also defined without a condition, which replaces this.",
            )


DEFINITION_NODE_CHECKS: dict[str, tuple[NodeCheck, ...]] = {
    "Set": (_check_definition,),
    "SetDelayed": (_check_definition,),
    **dict.fromkeys(_MUTATING_HEADS, (_record_change,)),
    **dict.fromkeys(
        ("TagSet", "TagSetDelayed", "UpSet", "UpSetDelayed", "MessageName"),
        (_record_tag_definition,),
    ),
}
DEFINITION_SOURCE_CHECKS: tuple[SourceCheck, ...] = (_check_unreachable_definitions,)
