"""Rules on definitions and assignments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, are_equal, has_head
from paddock.wolfram.inspection.inspection import (
    DefinitionPattern,
    IssueFix,
    format_code,
    get_symbol_start,
    iter_pattern_names,
)
from paddock.wolfram.inspection.rule_set import RuleSet

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspection import Inspection

DEFINITIONS = RuleSet("Definitions")


_INNER_ARGUMENT_INDICES = {"Pattern": 1, "PatternTest": 0, "Condition": 0, "Optional": 0}
"""Index of the argument that a pattern construct wraps."""
_BLANK_HEADS = frozenset({"Blank", "BlankSequence", "BlankNullSequence"})
_PATTERN_FREE_HEADS = frozenset(
    {"Plus", "Times", "Power", "List", "StringJoin", "CompoundExpression"}
)
"""Functions whose arguments cannot sensibly be patterns."""
_MUTATING_HEADS = (
    *("AddTo", "SubtractFrom", "TimesBy", "DivideBy", "ApplyTo", "AppendTo", "PrependTo"),
    *("Increment", "Decrement", "PreIncrement", "PreDecrement", "AssociateTo", "Unset"),
)


SELF_ASSIGNMENT = DEFINITIONS.add(
    "SelfAssignment", "Warning", 0.95, "`x = x`, except in a list of local variables"
)


@DEFINITIONS.check_nodes("Set", "SetDelayed")
def _check_definition(inspection: Inspection, node: Node) -> None:
    """Check an assignment: its target, its value, and the sign that it is written with.

    The definition is also recorded for the source checks.
    """
    if len(node.args) != 2:
        return
    left, right = node.args
    if isinstance(left, Atom) and left.kind == "symbol":
        inspection.assignment_positions[left.text].append(get_symbol_start(left, inspection.text))
    _record_definition(inspection, left)
    if are_equal(left, right):
        # `Module[{x = x}, …]` initializes the local variable with the outer one.
        if id(node) not in inspection.initial_values:
            inspection.report_node_issue(
                SELF_ASSIGNMENT, node, f"{format_code(inspection.get_code(left))} is set to itself."
            )
        return
    _check_symbol_target(inspection, left)
    _check_pattern_in_value(inspection, left, right)
    _check_set_not(inspection, node, left, right)


def _record_definition(inspection: Inspection, left: Expression) -> None:
    """Record the defined symbol, and for a target without patterns also the definition itself."""
    target, is_conditional = left, False
    if has_head(left, "Condition") and left.args:
        target, is_conditional = left.args[0], True
    key = _get_plain_target(target)
    if key is not None:
        inspection.definitions.append(DefinitionPattern(key, left, is_conditional))
    name = get_defined_symbol(target)
    if name is not None:
        inspection.defined_symbols.add(name)


def _get_plain_target(target: Expression) -> str | None:
    """Return `x` or `f[]`: targets without patterns, where one definition replaces another."""
    if isinstance(target, Atom):
        return target.text if target.kind == "symbol" else None
    if target.args or not isinstance(target.head, Atom):
        return None
    return f"{target.head.text}[]"


def get_defined_symbol(left: Expression) -> str | None:
    """Return the symbol that a definition belongs to, or None.

    Wrappers such as `Condition` are removed: `f[x_] /; c`, `f::usage` and `f[x][y]` belong to `f`.
    """
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


DEFINITION_NO_SYMBOL = DEFINITIONS.add(
    "DefinitionNoSymbol",
    "Error",
    0.95,
    "a definition whose left side is a bare pattern such as `_` or `x_`, not a symbol",
)


def _check_symbol_target(inspection: Inspection, left: Expression) -> None:
    """Report a left side without a symbol to which the definition can belong."""
    # `x_ /; test` and `x_?test` are also only patterns, so what they wrap is checked.
    target = left
    while isinstance(target, Node) and isinstance(target.head, Atom):
        index = _INNER_ARGUMENT_INDICES.get(target.head.text)
        if index is None or len(target.args) <= index:
            break
        target = target.args[index]
    if (
        isinstance(target, Node)
        and isinstance(target.head, Atom)
        and target.head.text in _BLANK_HEADS
        and not target.args
    ):
        inspection.report_node_issue(
            DEFINITION_NO_SYMBOL,
            left,
            f"{format_code(inspection.get_code(left))} has no symbol that the definition could "
            "belong to.",
        )


PATTERN_ON_RIGHT_SIDE = DEFINITIONS.add(
    "PatternOnRightSide",
    "Error",
    0.9,
    "`x_` instead of `x` in the value of a definition with the pattern `x_`",
)


def _check_pattern_in_value(inspection: Inspection, left: Expression, right: Expression) -> None:
    """Report patterns in the value of a definition that repeat a pattern of its left side."""
    if not isinstance(left, Node) or not isinstance(right, Node):
        return
    pending: list[Expression] = [right]
    patterns: list[tuple[str, Node]] = []
    while pending:
        expression = pending.pop()
        if not isinstance(expression, Node) or not isinstance(expression.head, Atom):
            continue
        # Other functions may take patterns as arguments, as in `Cases[list, x_]`.
        if expression.head.text in _PATTERN_FREE_HEADS:
            pending += expression.args
        elif expression.form == "_" and expression.head.text == "Pattern":
            pattern_name = expression.args[0]
            if isinstance(pattern_name, Atom):
                patterns.append((pattern_name.text, expression))
    if patterns:
        pattern_names = {name.text for name in iter_pattern_names(left)}
        for name, pattern in patterns:
            if name in pattern_names:
                inspection.report_node_issue(
                    PATTERN_ON_RIGHT_SIDE,
                    pattern,
                    f"`{name}_` is a pattern; its value is `{name}`.",
                    edits=[IssueFix(f"Replace with `{name}`", pattern.start, pattern.end, name)],
                )


SET_NOT = DEFINITIONS.add("SetNot", "Warning", 0.85, "`x =! y`, which is `x = Not[y]`")


def _check_set_not(inspection: Inspection, node: Node, left: Expression, right: Expression) -> None:
    """Report `x =! y`, which is probably a mistyped `x != y`."""
    if node.form != "=" or not isinstance(right, Node) or right.form != "prefix !":
        return
    text, position = inspection.text, right.start
    # In `x = !y`, no space follows the `!`, so the negation is intended.
    if (
        text[position - 1] == "="
        and text[position + 1 : position + 2].isspace()
        and left.end < position
    ):
        edits = [
            IssueFix(f"Replace `=!` with `{sign}`", position - 1, position + 1, sign)
            for sign in ("!=", "=!=")
        ]
        inspection.report_node_issue(SET_NOT, node, "`=!` assigns the negation.", edits=edits)


@DEFINITIONS.check_nodes(*_MUTATING_HEADS)
def _record_change(inspection: Inspection, node: Node) -> None:
    """Record that a symbol is modified, such as by `AppendTo[x, 1]` or `x++`."""
    if node.args and isinstance(node.args[0], Atom) and node.args[0].kind == "symbol":
        name = node.args[0]
        inspection.assignment_positions[name.text].append(get_symbol_start(name, inspection.text))


@DEFINITIONS.check_nodes("TagSet", "TagSetDelayed", "UpSet", "UpSetDelayed", "MessageName")
def _record_tag_definition(inspection: Inspection, node: Node) -> None:
    name = get_defined_symbol(node.args[0]) if node.args else None
    if name is not None:
        inspection.defined_symbols.add(name)


UNREACHABLE_CONDITIONAL_DEFINITION = DEFINITIONS.add(
    "UnreachableConditionalDefinition",
    "Warning",
    0.9,
    "`x /; c := v` or `f[] /; c := v` where `x` or `f[]` also has an unconditional definition",
)


@DEFINITIONS.check_source
def _check_unreachable_definitions(inspection: Inspection) -> None:
    """Report conditional definitions that an unconditional one with the same target replaces."""
    unconditional_targets = {
        definition.target for definition in inspection.definitions if not definition.is_conditional
    }
    for definition in inspection.definitions:
        if definition.is_conditional and definition.target in unconditional_targets:
            inspection.report_node_issue(
                UNREACHABLE_CONDITIONAL_DEFINITION,
                definition.left,
                f"{format_code(definition.target)} also has an unconditional definition, which "
                "replaces this one.",
            )
