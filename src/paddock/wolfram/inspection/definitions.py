"""Rules on definitions and assignments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, has_head, same
from paddock.wolfram.inspection.inspecting import Definition, Edit, start_of
from paddock.wolfram.inspection.rule import Rule, as_code
from paddock.wolfram.inspection.scope import pattern_names

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspecting import Afterwards, Check, Inspection

UNREACHABLE_CONDITIONAL_DEFINITION = Rule(
    "UnreachableConditionalDefinition",
    "Warning",
    0.9,
    "`x /; c := v` or `f[] /; c := v` beside an unconditional definition of the same",
)
DEFINITION_NO_SYMBOL = Rule(
    "DefinitionNoSymbol",
    "Error",
    0.95,
    "a definition whose left side is `_`, `x_` and the like, and so belongs to no symbol",
)
SELF_ASSIGNMENT = Rule(
    "SelfAssignment", "Warning", 0.95, "`x = x`, unless it is in a list of local variables"
)
PATTERN_ON_RIGHT_SIDE = Rule(
    "PatternOnRightSide",
    "Error",
    0.9,
    "`x_` in the value of a definition that has it on its left side: there `x` is meant",
)
SET_NOT = Rule("SetNot", "Warning", 0.85, "`x =! y`, which is `x = Not[y]`")
RULES = (
    *(UNREACHABLE_CONDITIONAL_DEFINITION, DEFINITION_NO_SYMBOL, SELF_ASSIGNMENT),
    *(PATTERN_ON_RIGHT_SIDE, SET_NOT),
)

_INNER = {"Pattern": 1, "PatternTest": 0, "Condition": 0, "Optional": 0}
"""Which argument of a pattern is what it says something about."""
_BLANKS = frozenset({"Blank", "BlankSequence", "BlankNullSequence"})
_PLAIN = frozenset({"Plus", "Times", "Power", "List", "StringJoin", "CompoundExpression"})
"""Functions in which a pattern means nothing."""
_CHANGING = (
    *("AddTo", "SubtractFrom", "TimesBy", "DivideBy", "ApplyTo", "AppendTo", "PrependTo"),
    *("Increment", "Decrement", "PreIncrement", "PreDecrement", "AssociateTo", "Unset"),
)


def _definition(inspection: Inspection, node: Node) -> None:
    if len(node.args) != 2:
        return
    left, right = node.args
    if isinstance(left, Atom) and left.kind == "symbol":
        inspection.assigned[left.text].append(start_of(left, inspection.text))
    _remember(inspection, left)
    if same(left, right):
        if id(node) not in inspection.initial_values:
            inspection.report_at(
                SELF_ASSIGNMENT, node, f"{as_code(inspection.code(left))} is set to itself."
            )
        return
    _no_symbol(inspection, left)
    _pattern_in_value(inspection, left, right)
    _set_not(inspection, node, left, right)


def _remember(inspection: Inspection, left: Expression) -> None:
    target, is_conditional = left, False
    if isinstance(left, Node) and has_head(left, "Condition") and left.args:
        target, is_conditional = left.args[0], True
    key = _plain_target(target)
    if key is not None:
        inspection.definitions.append(Definition(key, left, is_conditional))
    name = symbol_of(target)
    if name is not None:
        inspection.defined.add(name)


def _plain_target(target: Expression) -> str | None:
    """`x` or `f[]`, which are the same whenever they are evaluated."""
    if isinstance(target, Atom):
        return target.text if target.kind == "symbol" else None
    if target.args or not isinstance(target.head, Atom):
        return None
    return f"{target.head.text}[]"


def symbol_of(left: Expression) -> str | None:
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


def _no_symbol(inspection: Inspection, left: Expression) -> None:
    inner = left
    while isinstance(inner, Node) and isinstance(inner.head, Atom):
        place = _INNER.get(inner.head.text)
        if place is None or len(inner.args) <= place:
            break
        inner = inner.args[place]
    if (
        isinstance(inner, Node)
        and isinstance(inner.head, Atom)
        and inner.head.text in _BLANKS
        and not inner.args
    ):
        inspection.report_at(
            DEFINITION_NO_SYMBOL,
            left,
            f"A definition for {as_code(inspection.code(left))} belongs to no symbol.",
        )


def _pattern_in_value(inspection: Inspection, left: Expression, right: Expression) -> None:
    if not isinstance(left, Node) or not isinstance(right, Node):
        return
    waiting: list[Expression] = [right]
    found: list[tuple[str, Node]] = []
    while waiting:
        inner = waiting.pop()
        if not isinstance(inner, Node) or not isinstance(inner.head, Atom):
            continue
        if inner.head.text in _PLAIN:
            waiting += inner.args
        elif inner.form == "_" and inner.head.text == "Pattern":
            found.append((inner.args[0].text, inner))  # type: ignore[union-attr]  # x_ has a name
    if found:
        names = {name.text for name in pattern_names(left)}
        for name, pattern in found:
            if name in names:
                inspection.report_at(
                    PATTERN_ON_RIGHT_SIDE,
                    pattern,
                    f"`{name}_` is a pattern; its value is `{name}`.",
                    edits=[Edit(f"Replace with `{name}`", pattern.start, pattern.end, name)],
                )


def _set_not(inspection: Inspection, node: Node, left: Expression, right: Expression) -> None:
    if node.form != "=" or not isinstance(right, Node) or right.form != "prefix !":
        return
    text, at = inspection.text, right.start
    if text[at - 1] == "=" and text[at + 1 : at + 2].isspace() and left.end < at:
        edits = [
            Edit(f"Replace `=!` with `{sign}`", at - 1, at + 1, sign) for sign in ("!=", "=!=")
        ]
        inspection.report_at(SET_NOT, node, "`=!` assigns the negation.", edits=edits)


def _change(inspection: Inspection, node: Node) -> None:
    if node.args and isinstance(node.args[0], Atom) and node.args[0].kind == "symbol":
        name = node.args[0]
        inspection.assigned[name.text].append(start_of(name, inspection.text))


def _tagged(inspection: Inspection, node: Node) -> None:
    name = symbol_of(node.args[0]) if node.args else None
    if name is not None:
        inspection.defined.add(name)


def _unreachable(inspection: Inspection) -> None:
    always = {one.target for one in inspection.definitions if not one.is_conditional}
    for one in inspection.definitions:
        if one.is_conditional and one.target in always:
            inspection.report_at(
                UNREACHABLE_CONDITIONAL_DEFINITION,
                one.left,
                f"{as_code(one.target)} is also defined without a condition, which replaces this.",
            )


CHECKS: dict[str, tuple[Check, ...]] = {
    "Set": (_definition,),
    "SetDelayed": (_definition,),
    **dict.fromkeys(_CHANGING, (_change,)),
    **dict.fromkeys(
        ("TagSet", "TagSetDelayed", "UpSet", "UpSetDelayed", "MessageName"), (_tagged,)
    ),
}
AFTERWARDS: tuple[Afterwards, ...] = (_unreachable,)
