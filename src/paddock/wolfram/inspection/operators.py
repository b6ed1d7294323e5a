"""Rules on operators: products and sums that are none, comparisons, what binds to what."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import CALL, Atom, Node
from paddock.wolfram.inspection.inspecting import Edit
from paddock.wolfram.inspection.rule import Rule, as_code

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspecting import Afterwards, Check, Inspection

IMPLICIT_TIMES_ACROSS_LINES = Rule(
    "ImplicitTimesAcrossLines",
    "Error",
    0.95,
    "two expressions on two lines within brackets, which are multiplied because a `;` or `,` is "
    "missing",
)
IMPLICIT_TIMES_STRING = Rule(
    "ImplicitTimesString",
    "Error",
    0.9,
    "a string beside another expression, which are multiplied",
)
IMPLICIT_TIMES_BLANKS = Rule(
    "ImplicitTimesBlanks", "Error", 0.95, "four or more `_` in a row, which are a product"
)
IMPLICIT_TIMES_CALL = Rule(
    "ImplicitTimesCall",
    "Error",
    0.9,
    "`Sin (x)` and the like: a function is called with brackets",
)
PLUS_STRING = Rule("PlusString", "Error", 0.9, "`+` with a string; strings are joined with `<>`")
LOGIC_OF_VALUES = Rule(
    "LogicOfValues",
    "Error",
    0.9,
    'a string or number as an operand of `&&`, `||` or `!`, as in `x == "a" || "b"`',
)
CONTRADICTING_LITERALS = Rule(
    "ContradictingLiterals",
    "Warning",
    0.9,
    'two different strings in one comparison, as in `x == "a" == "b"`, which is never true',
)
PREFIX_PLUS = Rule("PrefixPlus", "Remark", 0.8, "`+x`, which is `x`")
AMBIGUOUS_MAP_PRECEDENCE = Rule(
    "AmbiguousMapPrecedence",
    "Warning",
    0.9,
    "`f @ g /@ x`, which is `f[g] /@ x`",
)
NEGATED_DATE_OBJECT = Rule(
    "NegatedDateObject", "Error", 0.95, "`-Now`, `-DateObject[…]` and the like"
)
SLOT_OUTSIDE_FUNCTION = Rule(
    "SlotOutsideFunction", "Warning", 0.8, "`#` with no `&` or `Function` around it"
)
RULES = (
    *(IMPLICIT_TIMES_ACROSS_LINES, IMPLICIT_TIMES_STRING, IMPLICIT_TIMES_BLANKS),
    *(IMPLICIT_TIMES_CALL, PLUS_STRING, LOGIC_OF_VALUES, CONTRADICTING_LITERALS, PREFIX_PLUS),
    *(AMBIGUOUS_MAP_PRECEDENCE, NEGATED_DATE_OBJECT, SLOT_OUTSIDE_FUNCTION),
)

_PRODUCTS = frozenset({"implicit times", "*", "\\[InvisibleTimes]", "\\[Times]", "-"})
_BLANKS = frozenset({"Blank", "BlankSequence", "BlankNullSequence", "Pattern"})
_DATE_NAMES = (
    "CurrentDate DateObject DatePlus FileDate NextDate PreviousDate RandomDate Now Today Tomorrow "
    "Yesterday"
)
_DATES = frozenset(_DATE_NAMES.split())
_FUNCTION_NAMES = (
    "Abs ArcCos ArcSin ArcTan Boole Ceiling Cos Cosh Det Drop Exp Expand Factor First Flatten "
    "Floor FullSimplify Im Inverse Join Keys Last Length Log Map Max Mean Min Mod Most Not Power "
    "Print Range Re Rest Reverse Round Select Simplify Sin Sinh Sort Sqrt StringJoin StringLength "
    "Table Take Tan Tanh ToString Total Transpose Union Values"
)
_CALLED = frozenset(_FUNCTION_NAMES.split())
"""Functions that nobody multiplies."""
_LINE_END = re.compile(r"[\n\r]")
_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)


def _times(inspection: Inspection, node: Node) -> None:
    if node.form == "prefix -":
        _negated(inspection, node)
    elif node.form in _PRODUCTS:
        args = node.args
        for place in range(1, len(args)):
            left, right = args[place - 1], args[place]
            if 0 <= left.end <= right.start:
                gap = _COMMENT.sub("", inspection.text[left.end : right.start])
                if not gap or gap.isspace():
                    _implicit(inspection, left, right, gap)


def _implicit(inspection: Inspection, left: Expression, right: Expression, gap: str) -> None:
    """Two expressions are multiplied because they are neighbours."""
    if _is_string(left) or _is_string(right):
        inspection.report(
            IMPLICIT_TIMES_STRING,
            left.start,
            right.end,
            "A string is multiplied by what stands beside it.",
            edits=_between(left, ("<>", ",")),
        )
    elif _LINE_END.search(gap):
        inspection.report(
            IMPLICIT_TIMES_ACROSS_LINES,
            left.end,
            right.start,
            "What stands on these two lines is multiplied.",
            edits=_between(left, (";", ",", "*")),
        )
    elif not gap and _has_blank(left) and _has_blank(right):
        inspection.report(
            IMPLICIT_TIMES_BLANKS,
            left.start,
            right.end,
            f"{as_code(inspection.text[left.start : right.end])} is a product of patterns.",
        )
    elif right.is_grouped and isinstance(left, Atom) and left.text in _CALLED:
        _uncalled(inspection, left, right)


def _uncalled(inspection: Inspection, left: Atom, right: Expression) -> None:
    call = f"{left.text}[{inspection.text[right.start + 1 : right.end - 1]}]"
    edits = [Edit(f"Replace with {as_code(call)}", left.start, right.end, call)]
    inspection.report(
        IMPLICIT_TIMES_CALL,
        left.start,
        right.end,
        f"`{left.text}` is multiplied here, not called.",
        argument=left.text,
        edits=[] if left.is_grouped else edits,
    )


def _between(left: Expression, signs: tuple[str, ...]) -> list[Edit]:
    return [Edit(f"Insert `{sign}`", left.end, left.end, sign) for sign in signs]


def _is_string(expression: Expression) -> bool:
    return isinstance(expression, Atom) and expression.kind == "string"


def _has_blank(expression: Expression) -> bool:
    return (
        isinstance(expression, Node)
        and isinstance(expression.head, Atom)
        and expression.head.text in _BLANKS
    )


def _negated(inspection: Inspection, node: Node) -> None:
    inner = node.args[-1]
    named = inner.head if isinstance(inner, Node) else inner
    if isinstance(named, Atom) and named.kind == "symbol" and named.text in _DATES:
        inspection.report_at(
            NEGATED_DATE_OBJECT,
            node,
            f"`{named.text}` is a date, which has no negative.",
            argument=named.text,
        )


def _plus(inspection: Inspection, node: Node) -> None:
    if node.form == "prefix +":
        edit = Edit("Remove `+`", node.start, node.args[0].start, "")
        inspection.report_at(
            PREFIX_PLUS, node, "A `+` before an expression does nothing.", edits=[edit]
        )
        return
    if node.form != "+" or not any(map(_is_string, node.args)):
        return
    at = inspection.sign(node.args[0], "+", node.args[1])
    is_sure = len(node.args) == 2 and at >= 0
    edits = [Edit("Replace `+` with `<>`", at, at + 1, "<>")] if is_sure else []
    inspection.report_at(PLUS_STRING, node, "`+` does not join strings; `<>` does.", edits=edits)


def _logic(inspection: Inspection, node: Node) -> None:
    if node.form == CALL:
        return
    for arg in node.args:
        if isinstance(arg, Atom) and arg.kind in ("string", "number"):
            inspection.report_at(
                LOGIC_OF_VALUES, arg, f"{as_code(inspection.code(arg))} is neither true nor false."
            )


def _comparison(inspection: Inspection, node: Node) -> None:
    if len(node.args) < 3:
        return
    strings = {arg.text for arg in node.args if isinstance(arg, Atom) and arg.kind == "string"}
    if len(strings) > 1:
        inspection.report_at(
            CONTRADICTING_LITERALS, node, "Nothing is equal to two different strings."
        )


def _map(inspection: Inspection, node: Node) -> None:
    if node.form != "/@" or len(node.args) != 2:
        return
    function, over = node.args
    if not (isinstance(function, Node) and function.form == "@") or function.is_grouped:
        return
    outer, inner = function.head, function.args[0]
    if not (isinstance(outer, Atom) and outer.kind == "symbol" and not outer.is_grouped):
        return
    if not (isinstance(inner, Atom) and inner.kind == "symbol" and not inner.is_grouped):
        return
    code = inspection.code
    choices = (
        f"({code(function)}) /@ {code(over)}",
        f"{code(outer)} @ ({code(inner)} /@ {code(over)})",
    )
    start, end = function.start, over.end
    inspection.report(
        AMBIGUOUS_MAP_PRECEDENCE,
        start,
        end,
        f"{as_code(inspection.text[start:end])} maps {as_code(f'{code(outer)}[{code(inner)}]')}.",
        edits=[Edit(f"Replace with {as_code(choice)}", start, end, choice) for choice in choices],
    )


def _slot(inspection: Inspection, node: Node) -> None:
    if node.form == "#":
        inspection.slots.append(node)


def _function(inspection: Inspection, node: Node) -> None:
    inspection.functions.add(node.start, node.end)


def _pattern(inspection: Inspection, node: Node) -> None:
    inspection.patterns.add(node.start, node.end)


def _stray_slots(inspection: Inspection) -> None:
    for slot in inspection.slots:
        if not inspection.functions.covers(slot.start):
            inspection.report_at(
                SLOT_OUTSIDE_FUNCTION,
                slot,
                f"No function is around {as_code(inspection.code(slot))}; is a `&` missing?",
            )


_QUOTING = ("Function", "Inactivate", "Inactive", "Defer", "Unevaluated", "Compile")
CHECKS: dict[str, tuple[Check, ...]] = {
    **dict.fromkeys(("HoldPattern", "Verbatim"), (_pattern,)),
    **dict.fromkeys(_QUOTING, (_function,)),
    "Times": (_times,),
    "Plus": (_plus,),
    "And": (_logic,),
    "Or": (_logic,),
    "Not": (_logic,),
    "Equal": (_comparison,),
    "SameQ": (_comparison,),
    "Map": (_map,),
    "Slot": (_slot,),
    "SlotSequence": (_slot,),
}
AFTERWARDS: tuple[Afterwards, ...] = (_stray_slots,)
