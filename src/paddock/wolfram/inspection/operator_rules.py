"""Rules on operators: products and sums that are none, comparisons, what binds to what."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import CALL_FORM, Atom, Node
from paddock.wolfram.inspection.inspection import InspectionRule, IssueFix, format_code

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspection import Inspection, NodeCheck, SourceCheck

IMPLICIT_TIMES_ACROSS_LINES = InspectionRule(
    "ImplicitTimesAcrossLines",
    "Error",
    0.95,
    "two expressions on two lines within brackets, which are multiplied because a `;` or `,` is "
    "missing",
)
IMPLICIT_TIMES_STRING = InspectionRule(
    "ImplicitTimesString",
    "Error",
    0.9,
    "a string beside another expression, which are multiplied",
)
IMPLICIT_TIMES_BLANKS = InspectionRule(
    "ImplicitTimesBlanks", "Error", 0.95, "four or more `_` in a row, which are a product"
)
IMPLICIT_TIMES_CALL = InspectionRule(
    "ImplicitTimesCall",
    "Error",
    0.9,
    "`Sin (x)` and the like: a function is called with brackets",
)
PLUS_STRING = InspectionRule(
    "PlusString", "Error", 0.9, "`+` with a string; strings are joined with `<>`"
)
LOGIC_OF_VALUES = InspectionRule(
    "LogicOfValues",
    "Error",
    0.9,
    'a string or number as an operand of `&&`, `||` or `!`, as in `x == "a" || "b"`',
)
CONTRADICTING_LITERALS = InspectionRule(
    "ContradictingLiterals",
    "Warning",
    0.9,
    'two different strings in one comparison, as in `x == "a" == "b"`, which is never true',
)
PREFIX_PLUS = InspectionRule("PrefixPlus", "Remark", 0.8, "`+x`, which is `x`")
AMBIGUOUS_MAP_PRECEDENCE = InspectionRule(
    "AmbiguousMapPrecedence",
    "Warning",
    0.9,
    "`f @ g /@ x`, which is `f[g] /@ x`",
)
NEGATED_DATE_OBJECT = InspectionRule(
    "NegatedDateObject", "Error", 0.95, "`-Now`, `-DateObject[…]` and the like"
)
SLOT_OUTSIDE_FUNCTION = InspectionRule(
    "SlotOutsideFunction", "Warning", 0.8, "`#` with no `&` or `Function` around it"
)
OPERATOR_RULES = (
    *(IMPLICIT_TIMES_ACROSS_LINES, IMPLICIT_TIMES_STRING, IMPLICIT_TIMES_BLANKS),
    *(IMPLICIT_TIMES_CALL, PLUS_STRING, LOGIC_OF_VALUES, CONTRADICTING_LITERALS, PREFIX_PLUS),
    *(AMBIGUOUS_MAP_PRECEDENCE, NEGATED_DATE_OBJECT, SLOT_OUTSIDE_FUNCTION),
)

_PRODUCT_FORMS = frozenset({"implicit times", "*", "\\[InvisibleTimes]", "\\[Times]", "-"})
_BLANK_HEADS = frozenset({"Blank", "BlankSequence", "BlankNullSequence", "Pattern"})
_DATE_NAMES = (
    "CurrentDate DateObject DatePlus FileDate NextDate PreviousDate RandomDate Now Today Tomorrow "
    "Yesterday"
)
_DATE_SYMBOLS = frozenset(_DATE_NAMES.split())
_FUNCTION_NAMES = (
    "Abs ArcCos ArcSin ArcTan Boole Ceiling Cos Cosh Det Drop Exp Expand Factor First Flatten "
    "Floor FullSimplify Im Inverse Join Keys Last Length Log Map Max Mean Min Mod Most Not Power "
    "Print Range Re Rest Reverse Round Select Simplify Sin Sinh Sort Sqrt StringJoin StringLength "
    "Table Take Tan Tanh ToString Total Transpose Union Values"
)
_COMMON_FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
"""Functions that nobody multiplies."""
_LINE_END = re.compile(r"[\n\r]")
_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)


def _check_times(inspection: Inspection, node: Node) -> None:
    if node.form == "prefix -":
        _check_negated_date(inspection, node)
    elif node.form in _PRODUCT_FORMS:
        args = node.args
        for place in range(1, len(args)):
            left, right = args[place - 1], args[place]
            if 0 <= left.end <= right.start:
                gap = _COMMENT.sub("", inspection.text[left.end : right.start])
                if not gap or gap.isspace():
                    _check_implicit_product(inspection, left, right, gap)


def _check_implicit_product(
    inspection: Inspection, left: Expression, right: Expression, gap: str
) -> None:
    """Two expressions are multiplied because they are neighbours."""
    if _is_string(left) or _is_string(right):
        inspection.report_issue(
            IMPLICIT_TIMES_STRING,
            left.start,
            right.end,
            "A string is multiplied by what stands beside it.",
            edits=_build_insertions(left, ("<>", ",")),
        )
    elif _LINE_END.search(gap):
        inspection.report_issue(
            IMPLICIT_TIMES_ACROSS_LINES,
            left.end,
            right.start,
            "What stands on these two lines is multiplied.",
            edits=_build_insertions(left, (";", ",", "*")),
        )
    elif not gap and _has_blank(left) and _has_blank(right):
        inspection.report_issue(
            IMPLICIT_TIMES_BLANKS,
            left.start,
            right.end,
            f"{format_code(inspection.text[left.start : right.end])} is a product of patterns.",
        )
    elif right.is_grouped and isinstance(left, Atom) and left.text in _COMMON_FUNCTIONS:
        _report_uncalled_function(inspection, left, right)


def _report_uncalled_function(inspection: Inspection, left: Atom, right: Expression) -> None:
    call = f"{left.text}[{inspection.text[right.start + 1 : right.end - 1]}]"
    edits = [IssueFix(f"Replace with {format_code(call)}", left.start, right.end, call)]
    inspection.report_issue(
        IMPLICIT_TIMES_CALL,
        left.start,
        right.end,
        f"`{left.text}` is multiplied here, not called.",
        argument=left.text,
        edits=[] if left.is_grouped else edits,
    )


def _build_insertions(left: Expression, signs: tuple[str, ...]) -> list[IssueFix]:
    return [IssueFix(f"Insert `{sign}`", left.end, left.end, sign) for sign in signs]


def _is_string(expression: Expression) -> bool:
    return isinstance(expression, Atom) and expression.kind == "string"


def _has_blank(expression: Expression) -> bool:
    return (
        isinstance(expression, Node)
        and isinstance(expression.head, Atom)
        and expression.head.text in _BLANK_HEADS
    )


def _check_negated_date(inspection: Inspection, node: Node) -> None:
    inner = node.args[-1]
    named = inner.head if isinstance(inner, Node) else inner
    if isinstance(named, Atom) and named.kind == "symbol" and named.text in _DATE_SYMBOLS:
        inspection.report_node_issue(
            NEGATED_DATE_OBJECT,
            node,
            f"`{named.text}` is a date, which has no negative.",
            argument=named.text,
        )


def _check_plus(inspection: Inspection, node: Node) -> None:
    if node.form == "prefix +":
        edit = IssueFix("Remove `+`", node.start, node.args[0].start, "")
        inspection.report_node_issue(
            PREFIX_PLUS, node, "A `+` before an expression does nothing.", edits=[edit]
        )
        return
    if node.form != "+" or not any(map(_is_string, node.args)):
        return
    at = inspection.find_operator(node.args[0], "+", node.args[1])
    is_sure = len(node.args) == 2 and at >= 0
    edits = [IssueFix("Replace `+` with `<>`", at, at + 1, "<>")] if is_sure else []
    inspection.report_node_issue(
        PLUS_STRING, node, "`+` does not join strings; `<>` does.", edits=edits
    )


def _check_logic(inspection: Inspection, node: Node) -> None:
    if node.form == CALL_FORM:
        return
    for arg in node.args:
        if isinstance(arg, Atom) and arg.kind in ("string", "number"):
            inspection.report_node_issue(
                LOGIC_OF_VALUES,
                arg,
                f"{format_code(inspection.get_code(arg))} is neither true nor false.",
            )


def _check_comparison(inspection: Inspection, node: Node) -> None:
    if len(node.args) < 3:
        return
    strings = {arg.text for arg in node.args if isinstance(arg, Atom) and arg.kind == "string"}
    if len(strings) > 1:
        inspection.report_node_issue(
            CONTRADICTING_LITERALS, node, "Nothing is equal to two different strings."
        )


def _check_map(inspection: Inspection, node: Node) -> None:
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
    code = inspection.get_code
    choices = (
        f"({code(function)}) /@ {code(over)}",
        f"{code(outer)} @ ({code(inner)} /@ {code(over)})",
    )
    start, end = function.start, over.end
    inspection.report_issue(
        AMBIGUOUS_MAP_PRECEDENCE,
        start,
        end,
        f"{format_code(inspection.text[start:end])} maps {format_code(f'{code(outer)}[{code(inner)}]')}.",
        edits=[
            IssueFix(f"Replace with {format_code(choice)}", start, end, choice)
            for choice in choices
        ],
    )


def _collect_slot(inspection: Inspection, node: Node) -> None:
    if node.form == "#":
        inspection.slots.append(node)


def _collect_function(inspection: Inspection, node: Node) -> None:
    inspection.function_spans.add(node.start, node.end)


def _collect_pattern(inspection: Inspection, node: Node) -> None:
    inspection.pattern_spans.add(node.start, node.end)


def _check_stray_slots(inspection: Inspection) -> None:
    for slot in inspection.slots:
        if not inspection.function_spans.covers(slot.start):
            inspection.report_node_issue(
                SLOT_OUTSIDE_FUNCTION,
                slot,
                f"No function is around {format_code(inspection.get_code(slot))}; is a `&` missing?",
            )


_QUOTING_HEADS = ("Function", "Inactivate", "Inactive", "Defer", "Unevaluated", "Compile")
OPERATOR_NODE_CHECKS: dict[str, tuple[NodeCheck, ...]] = {
    **dict.fromkeys(("HoldPattern", "Verbatim"), (_collect_pattern,)),
    **dict.fromkeys(_QUOTING_HEADS, (_collect_function,)),
    "Times": (_check_times,),
    "Plus": (_check_plus,),
    "And": (_check_logic,),
    "Or": (_check_logic,),
    "Not": (_check_logic,),
    "Equal": (_check_comparison,),
    "SameQ": (_check_comparison,),
    "Map": (_check_map,),
    "Slot": (_collect_slot,),
    "SlotSequence": (_collect_slot,),
}
OPERATOR_SOURCE_CHECKS: tuple[SourceCheck, ...] = (_check_stray_slots,)
