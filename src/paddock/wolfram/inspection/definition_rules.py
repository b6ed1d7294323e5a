"""Rules about definitions and assignments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import (
    Atom,
    Node,
    are_equal,
    get_head_name,
    has_any_head,
    has_head,
    is_atom,
    walk,
)
from paddock.wolfram.inspection.inspection import (
    DefinitionPattern,
    IssueFix,
    TextSpan,
    format_code,
    get_symbol_start,
    iter_pattern_names,
)
from paddock.wolfram.inspection.rule_set import RuleSet

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspection import Inspection

DEFINITIONS = RuleSet()


_INNER_ARGUMENT_INDICES = {"Pattern": 1, "PatternTest": 0, "Condition": 0, "Optional": 0}
"""Index of the argument that a pattern construct wraps."""
_BLANK_HEADS = ("Blank", "BlankSequence", "BlankNullSequence")
_PATTERN_FREE_HEADS = ("Plus", "Times", "Power", "List", "StringJoin", "CompoundExpression")
"""Functions whose arguments cannot sensibly be patterns."""
_SEARCHED_HEADS = ("Pattern", *_PATTERN_FREE_HEADS)
_WRAPPER_HEADS = ("Condition", "HoldPattern", "MessageName")
_MUTATING_HEADS = (
    *("AddTo", "SubtractFrom", "TimesBy", "DivideBy", "ApplyTo", "AppendTo", "PrependTo"),
    *("Increment", "Decrement", "PreIncrement", "PreDecrement", "AssociateTo", "Unset"),
)


@DEFINITIONS.check_nodes("Set", "SetDelayed")
def _check_definition(inspection: Inspection, node: Node) -> None:
    """Check an assignment such as `f[x_] := x^2`, and record it.

    Its left side, value and sign are checked. Checks that run after the walk use the record, for
    example to find definitions that are replaced by others.
    """
    if len(node.args) != 2:
        return
    left, right = node.args
    _record_assignment(inspection, left)
    _record_definition(inspection, left)
    if are_equal(left, right):
        # `Module[{x = x}, …]` initializes the local variable with the outer one.
        if id(node) not in inspection.initial_values:
            description = f"{inspection.quote_code(left)} is set to itself."
            inspection.report_issue("SelfAssignment", node, description)
        return
    _check_missing_symbol(inspection, left)
    _check_patterns_in_value(inspection, left, right)
    _check_mistyped_unequal(inspection, node, left, right)


def _record_assignment(inspection: Inspection, target: Expression) -> None:
    """Record the position where a symbol is assigned or modified."""
    if is_atom(target, "symbol"):
        start = get_symbol_start(target, inspection.text)
        inspection.assignment_positions[target.text].append(start)


def _record_definition(inspection: Inspection, left: Expression) -> None:
    """Record the symbol that an assignment defines.

    If the target is plain (`x` or `f[]`), the definition itself is recorded too, including whether
    it has a condition, as in `f[] /; test := v`.
    """
    target, is_conditional = left, False
    if has_head(left, "Condition") and left.args:
        target, is_conditional = left.args[0], True
    plain_target = _get_plain_target(target)
    if plain_target is not None:
        inspection.definitions.append(DefinitionPattern(plain_target, left, is_conditional))
    name = get_defined_symbol(target)
    if name is not None:
        inspection.defined_symbols.add(name)


def _get_plain_target(target: Expression) -> str | None:
    """Return a target without patterns (`x` or `f[]`), where one definition replaces another."""
    if isinstance(target, Atom):
        return target.text if target.kind == "symbol" else None
    head = get_head_name(target)
    return f"{head}[]" if head and not target.args else None


def get_defined_symbol(left: Expression) -> str | None:
    """Return the name of the symbol that a definition belongs to, or None if there is no symbol.

    Definitions with the left sides `f[x_] /; c`, `f::usage` and `f[x][y]` all belong to `f`.
    """
    while isinstance(left, Node):
        if not has_any_head(left, _WRAPPER_HEADS):
            left = left.head
        elif left.args:
            left = left.args[0]
        else:
            return None
    return left.text if left.kind == "symbol" else None


def _check_missing_symbol(inspection: Inspection, left: Expression) -> None:
    """Report an assignment whose left side is only a pattern, such as `_ = 1`.

    Such a definition does not belong to any symbol.
    """
    # `x_`, `x_ /; test` and `x_?test` are only patterns too, so the pattern inside is checked.
    target = left
    while has_any_head(target, _INNER_ARGUMENT_INDICES):
        index = _INNER_ARGUMENT_INDICES[get_head_name(target)]
        if len(target.args) <= index:
            break
        target = target.args[index]
    if has_any_head(target, _BLANK_HEADS) and not target.args:
        inspection.report_issue(
            "DefinitionNoSymbol",
            left,
            f"{inspection.quote_code(left)} has no symbol that the definition could belong to.",
        )


def _check_patterns_in_value(inspection: Inspection, left: Expression, right: Expression) -> None:
    """Report parameters written as patterns in the value: `f[x_] := x_ + 1`."""
    # An assignment to a symbol has no parameters. Most values are calls, which are not searched.
    if isinstance(left, Atom) or not has_any_head(right, _SEARCHED_HEADS):
        return
    # Other functions may take patterns as arguments, as in `Cases[list, x_]`.
    parts = walk(right, lambda node: get_head_name(node) in _PATTERN_FREE_HEADS)
    patterns = [part for part in parts if has_head(part, "Pattern") and part.form == "_"]
    parameters = {name.text for name in iter_pattern_names(left)} if patterns else set()
    for pattern in patterns:
        name = pattern.args[0]
        if isinstance(name, Atom) and name.text in parameters:
            inspection.report_issue(
                "PatternOnRightSide",
                pattern,
                f"`{name.text}_` is a pattern; its value is `{name.text}`.",
                fixes=[IssueFix(f"Replace with `{name.text}`", pattern, name.text)],
            )


def _check_mistyped_unequal(
    inspection: Inspection, node: Node, left: Expression, right: Expression
) -> None:
    """Report `x =! y`, which assigns `!y`, but is probably a mistyped `x != y`."""
    if node.form != "=" or not isinstance(right, Node) or right.form != "prefix !":
        return
    text, start = inspection.text, right.start
    # In `x = !y`, no space follows the `!`, so the negation is intentional.
    has_joined_signs = text[start - 1] == "=" and text[start + 1 : start + 2].isspace()
    if has_joined_signs and left.end < start:
        fixes = [
            IssueFix(f"Replace `=!` with `{sign}`", TextSpan(start - 1, start + 1), sign)
            for sign in ("!=", "=!=")
        ]
        inspection.report_issue("SetNot", node, "`=!` assigns the negation.", fixes=fixes)


@DEFINITIONS.check_nodes(*_MUTATING_HEADS)
def _record_change(inspection: Inspection, node: Node) -> None:
    """Record that a symbol is modified, for example by `AppendTo[x, 1]` or `x++`."""
    if node.args:
        _record_assignment(inspection, node.args[0])


@DEFINITIONS.check_nodes("TagSet", "TagSetDelayed", "UpSet", "UpSetDelayed", "MessageName")
def _record_tag_definition(inspection: Inspection, node: Node) -> None:
    name = get_defined_symbol(node.args[0]) if node.args else None
    if name is not None:
        inspection.defined_symbols.add(name)


@DEFINITIONS.check_source
def _check_unreachable_definitions(inspection: Inspection) -> None:
    """Report conditional definitions that an unconditional one replaces.

    For example, `x = 2` replaces `x /; test := 1` because both have the target `x`.
    """
    unconditional_targets = {
        definition.target for definition in inspection.definitions if not definition.is_conditional
    }
    for definition in inspection.definitions:
        if definition.is_conditional and definition.target in unconditional_targets:
            inspection.report_issue(
                "UnreachableConditionalDefinition",
                definition.left,
                f"{format_code(definition.target)} also has an unconditional definition, which "
                "replaces this one.",
            )
