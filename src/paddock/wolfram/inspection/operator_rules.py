"""Rules about operators: unintended products and sums, comparisons and precedence."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import CALL_FORM, Atom, Node, has_any_head, is_atom
from paddock.wolfram.inspection.inspection import IssueFix, TextSpan, format_code
from paddock.wolfram.inspection.rule_set import RuleSet

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspection import Inspection

OPERATORS = RuleSet()


_PRODUCT_FORMS = ("implicit times", "*", "\\[InvisibleTimes]", "\\[Times]", "-")
_BLANK_HEADS = ("Blank", "BlankSequence", "BlankNullSequence", "Pattern")
_DATE_SYMBOLS = (
    *("CurrentDate", "DateObject", "DatePlus", "FileDate", "NextDate", "PreviousDate"),
    *("RandomDate", "Now", "Today", "Tomorrow", "Yesterday"),
)
_FUNCTION_NAMES = (
    "Abs ArcCos ArcSin ArcTan Boole Ceiling Cos Cosh Det Drop Exp Expand Factor First Flatten "
    "Floor FullSimplify Im Inverse Join Keys Last Length Log Map Max Mean Min Mod Most Not Power "
    "Print Range Re Rest Reverse Round Select Simplify Sin Sinh Sort Sqrt StringJoin StringLength "
    "Table Take Tan Tanh ToString Total Transpose Union Values"
)
_COMMON_FUNCTIONS = frozenset(_FUNCTION_NAMES.split())
"""Functions that are never meant as factors of a product."""
_QUOTING_HEADS = ("Function", "Inactivate", "Inactive", "Defer", "Unevaluated", "Compile")
_LINE_END = re.compile(r"[\n\r]")
_COMMENT = re.compile(r"\(\*.*?\*\)", re.DOTALL)


@OPERATORS.check_nodes("Times")
def _check_product(inspection: Inspection, node: Node) -> None:
    """Check a product for factors without a sign between them, such as `2 x`.

    A negation is also a product, so it is checked for dates.
    """
    if node.form == "prefix -":
        _check_negated_date(inspection, node)
    elif node.form in _PRODUCT_FORMS:
        for left, right in pairwise(node.args):
            # Factors that the parser added, such as the -1 of `a - b`, have no position.
            if 0 <= left.end <= right.start:
                gap = _COMMENT.sub("", inspection.text[left.end : right.start])
                if not gap or gap.isspace():
                    _check_implicit_product(inspection, left, right, gap)


def _check_implicit_product(
    inspection: Inspection, left: Expression, right: Expression, gap: str
) -> None:
    """Report two adjacent expressions if multiplying them is probably a mistake.

    Args:
        inspection: The inspection that collects the issues.
        left: The first factor.
        right: The second factor.
        gap: The text between the factors without comments: empty or whitespace.
    """
    product = TextSpan(left.start, right.end)
    if is_atom(left, "string") or is_atom(right, "string"):
        inspection.report_issue(
            "ImplicitTimesString",
            product,
            "A string is multiplied by the expression next to it.",
            fixes=_build_insertions(left, ("<>", ",")),
        )
    elif _LINE_END.search(gap):
        inspection.report_issue(
            "ImplicitTimesAcrossLines",
            TextSpan(left.end, right.start),
            "The expressions on these two lines are multiplied.",
            fixes=_build_insertions(left, (";", ",", "*")),
        )
    elif not gap and has_any_head(left, _BLANK_HEADS) and has_any_head(right, _BLANK_HEADS):
        description = f"{inspection.quote_code(product)} is a product of patterns."
        inspection.report_issue("ImplicitTimesBlanks", product, description)
    elif right.is_grouped and isinstance(left, Atom) and left.text in _COMMON_FUNCTIONS:
        _report_uncalled_function(inspection, left, right)


def _build_insertions(left: Expression, signs: tuple[str, ...]) -> list[IssueFix]:
    place = TextSpan(left.end, left.end)
    return [IssueFix(f"Insert `{sign}`", place, sign) for sign in signs]


def _report_uncalled_function(inspection: Inspection, left: Atom, right: Expression) -> None:
    """Report `Sin (x)`, which multiplies the function by its argument instead of calling it."""
    product = TextSpan(left.start, right.end)
    argument_code = inspection.text[right.start + 1 : right.end - 1]
    call = f"{left.text}[{argument_code}]"
    fixes = [IssueFix(f"Replace with {format_code(call)}", product, call)]
    inspection.report_issue(
        "ImplicitTimesCall",
        product,
        f"`{left.text}` is multiplied here, not called.",
        argument=left.text,
        # `(Sin) (x)` gets no fix, because replacing the name would leave an unbalanced parenthesis.
        fixes=[] if left.is_grouped else fixes,
    )


def _check_negated_date(inspection: Inspection, node: Node) -> None:
    """Report the negation of a date, such as `-Now` or `-DateObject[…]`."""
    operand = node.args[-1]
    symbol = operand.head if isinstance(operand, Node) else operand
    if is_atom(symbol, "symbol") and symbol.text in _DATE_SYMBOLS:
        inspection.report_issue(
            "NegatedDateObject",
            node,
            f"`{symbol.text}` is a date, which cannot be negated.",
            argument=symbol.text,
        )


@OPERATORS.check_nodes("Plus")
def _check_plus(inspection: Inspection, node: Node) -> None:
    """Report a prefix `+`, which has no effect, and `"a" + "b"`, which does not join strings."""
    if node.form == "prefix +":
        fix = IssueFix("Remove `+`", TextSpan(node.start, node.args[0].start), "")
        inspection.report_issue(
            "PrefixPlus", node, "A `+` before an expression has no effect.", fixes=[fix]
        )
        return
    if node.form != "+" or not any(is_atom(arg, "string") for arg in node.args):
        return
    left, right, *others = node.args
    # With more operands, the other `+` signs may be intended as addition.
    fixes = [] if others else inspection.build_sign_fixes(left, "+", right, ("<>",))
    description = "`+` does not join strings; use `<>`."
    inspection.report_issue("PlusString", node, description, fixes=fixes)


@OPERATORS.check_nodes("And", "Or", "Not")
def _check_logic_operands(inspection: Inspection, node: Node) -> None:
    """Report a string or number used as an operand of a logical operator: `x == "a" || "b"`."""
    # This mistake occurs with operators. A call such as `Or[x, "b"]` is probably intentional.
    if node.form == CALL_FORM:
        return
    for arg in node.args:
        if isinstance(arg, Atom) and arg.kind in ("string", "number"):
            description = f"{inspection.quote_code(arg)} is neither `True` nor `False`."
            inspection.report_issue("LogicOfValues", arg, description)


@OPERATORS.check_nodes("Equal", "SameQ")
def _check_contradicting_strings(inspection: Inspection, node: Node) -> None:
    """Report a comparison with two different strings, such as `"a" == x == "b"`.

    It is always false.
    """
    if len(node.args) < 3:
        return
    strings = {arg.text for arg in node.args if is_atom(arg, "string")}
    if len(strings) > 1:
        inspection.report_issue(
            "ContradictingLiterals", node, "A value cannot be equal to two different strings."
        )


@OPERATORS.check_nodes("Map")
def _check_map_precedence(inspection: Inspection, node: Node) -> None:
    """Report `f @ g /@ x`, which means `(f @ g) /@ x` when `f @ (g /@ x)` may be intended."""
    if node.form != "/@" or len(node.args) != 2:
        return
    function, operand = node.args
    if not (isinstance(function, Node) and function.form == "@") or function.is_grouped:
        return
    outer, inner = function.head, function.args[0]
    # Parentheses or brackets make the grouping visible, so only plain symbols are reported.
    if not all(is_atom(part, "symbol") and not part.is_grouped for part in (outer, inner)):
        return
    outer_code, inner_code, operand_code = map(inspection.get_code, (outer, inner, operand))
    replacements = (
        f"({inspection.get_code(function)}) /@ {operand_code}",
        f"{outer_code} @ ({inner_code} /@ {operand_code})",
    )
    place = TextSpan(function.start, operand.end)
    mapped_code = format_code(f"{outer_code}[{inner_code}]")
    inspection.report_issue(
        "AmbiguousMapPrecedence",
        place,
        f"{inspection.quote_code(place)} maps {mapped_code}.",
        fixes=[
            IssueFix(f"Replace with {format_code(replacement)}", place, replacement)
            for replacement in replacements
        ],
    )


@OPERATORS.check_nodes("Slot", "SlotSequence")
def _collect_slot(inspection: Inspection, node: Node) -> None:
    if node.form == "#":
        inspection.slots.append(node)


@OPERATORS.check_nodes(*_QUOTING_HEADS)
def _collect_function(inspection: Inspection, node: Node) -> None:
    inspection.function_spans.add(node.start, node.end)


@OPERATORS.check_nodes("HoldPattern", "Verbatim")
def _collect_pattern(inspection: Inspection, node: Node) -> None:
    inspection.pattern_spans.add(node.start, node.end)


@OPERATORS.check_source
def _check_stray_slots(inspection: Inspection) -> None:
    """Report slots (parameters of pure functions, such as `#1`) outside any function.

    The walk over the source has already collected the slots and the function spans.
    """
    for slot in inspection.slots:
        if not inspection.function_spans.covers(slot.start):
            inspection.report_issue(
                "SlotOutsideFunction",
                slot,
                f"{inspection.quote_code(slot)} is outside a function; is a `&` missing?",
            )
