"""Rules on control flow: `If`, `Which`, `Switch`, loops, `Return`, `Throw`, and statements."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from paddock.wolfram.expressions import CALL_FORM, Atom, Node, are_equal, has_head, is_symbol
from paddock.wolfram.inspection.inspection import InspectionRule, IssueFix, format_code
from paddock.wolfram.printer import full_form

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspection import Inspection, NodeCheck, SourceCheck

NO_SURROUNDING_CATCH = InspectionRule(
    "NoSurroundingCatch",
    "Error",
    0.9,
    "`Throw[value]` with no `Catch[…]` of one argument around it",
)
RETURN_AMBIGUOUS = InspectionRule(
    "ReturnAmbiguous",
    "Warning",
    0.9,
    "`Return[value]`, which does not say what it returns from",
)
ARGUMENTS = InspectionRule(
    "Arguments",
    "Error",
    0.95,
    "a number of arguments that `If`, `Which`, `Switch`, `Module`, `With`, `Block`, `While`, `For` "
    "or `Do` cannot have; less sure (60%) where an argument may stand for several",
)
DUPLICATE_CLAUSES = InspectionRule(
    "DuplicateClauses",
    "Error",
    0.9,
    "the same clause twice: both branches of an `If`, or two tests of a `Which` or `Switch`",
)
UNREACHABLE_CLAUSES = InspectionRule(
    "UnreachableClauses",
    "Warning",
    0.95,
    "clauses after the `True` of a `Which` or the `_` of a `Switch`",
)
SWITCH_WHICH_CONFUSION = InspectionRule(
    "SwitchWhichConfusion",
    "Error",
    0.85,
    "`Which` with `_` as a test or with `$OperatingSystem` in the first place, and `Switch` that "
    "ends with `True` and has no `False`",
)
IF_SET = InspectionRule(
    "IfSet", "Warning", 0.85, "`If[x = y, …]` and the same in `While`; not `If[(x = y), …]`"
)
EQUAL_STATEMENT = InspectionRule(
    "EqualStatement", "Warning", 0.85, "`x == y;` as a statement, whose result is lost"
)
CONTROL_RULES = (
    *(NO_SURROUNDING_CATCH, RETURN_AMBIGUOUS, ARGUMENTS, DUPLICATE_CLAUSES),
    *(UNREACHABLE_CLAUSES, SWITCH_WHICH_CONFUSION, IF_SET, EQUAL_STATEMENT),
)

_SEQUENCE_CONFIDENCE = 0.6
_MAX_COMPARED_CHARACTERS = 2_000
"""How many characters of a test: nobody writes longer ones twice."""
_SEQUENCE_HEADS = frozenset(
    {"SlotSequence", "Sequence", "Splice", "Unevaluated", "Apply", "Nothing"}
)
_PATTERN_HEADS = frozenset(
    {
        "Blank",
        "BlankSequence",
        "BlankNullSequence",
        "Pattern",
        "PatternTest",
        "Optional",
        "Verbatim",
    }
)
_HOLD_HEADS = ("Hold", "HoldForm", "HoldComplete", "HoldCompleteForm")


def has_patterns(args: list[Expression]) -> bool:
    """Whether any argument is a pattern, so that the whole is one, too."""
    return any(
        isinstance(arg, Node) and isinstance(arg.head, Atom) and arg.head.text in _PATTERN_HEADS
        for arg in args
    )


def _may_be_sequence(arg: Expression) -> bool:
    if isinstance(arg, Atom):
        return arg.kind == "symbol" and arg.end > arg.start
    return isinstance(arg.head, Atom) and arg.head.text in _SEQUENCE_HEADS


def _check_argument_count(
    head: str, least: int, most: int | None, step: int, inspection: Inspection, node: Node
) -> None:
    count = len(node.args)
    fits = count >= least and (most is None or count <= most) and (count - least) % step == 0
    if fits or node.form != CALL_FORM or has_patterns(node.args):
        return
    inspection.report_node_issue(
        ARGUMENTS,
        node,
        f"`{head}` has {count} argument{'' if count == 1 else 's'}: {_EXPECTED_ARGUMENTS[head]}.",
        argument=head,
        confidence=_SEQUENCE_CONFIDENCE if any(map(_may_be_sequence, node.args)) else None,
    )


_EXPECTED_ARGUMENTS = {
    "If": "it takes a test and one to three branches",
    "Which": "it takes pairs of a test and a value",
    "Switch": "it takes an expression, and pairs of a pattern and a value",
    "Module": "it takes a list of variables and one body; statements are separated by `;`",
    "Block": "it takes a list of variables and one body; statements are separated by `;`",
    "With": "it takes lists of variables and a body",
    "While": "it takes a test and a body",
    "For": "it takes a start, a test, a step and a body",
    "Do": "it takes an expression and iterators",
}
_ARGUMENT_COUNTS: dict[str, tuple[int, int | None, int]] = {
    "If": (2, 4, 1),
    "Which": (2, None, 2),
    "Switch": (3, None, 2),
    "Module": (2, 2, 1),
    "Block": (2, 2, 1),
    "With": (2, None, 1),
    "While": (1, 2, 1),
    "For": (3, 4, 1),
    "Do": (2, None, 1),
}


def _check_if(inspection: Inspection, node: Node) -> None:
    args = node.args
    if len(args) < 2:
        return
    _check_condition(inspection, node)
    if isinstance(args[1], Atom) and args[1].start == args[1].end:
        inspection.omitted_arguments.add(args[1].start)
    if len(args) >= 3 and are_equal(args[1], args[2]) and not _is_missing_expression(args[1]):
        inspection.report_node_issue(
            DUPLICATE_CLAUSES, args[2], "Both branches of `If` are the same.", argument="If"
        )


def _is_missing_expression(expression: Expression) -> bool:
    return isinstance(expression, Atom) and (
        expression.kind == "error" or expression.start == expression.end
    )


def _check_condition(inspection: Inspection, node: Node) -> None:
    test = node.args[0] if node.args else node
    if not (isinstance(test, Node) and has_head(test, "Set") and test.form == "="):
        return
    if test.is_grouped or len(node.args) < 2 or len(test.args) != 2:
        return
    at = inspection.find_operator(test.args[0], "=", test.args[1])
    edits = [
        IssueFix(f"Replace `=` with `{sign}`", at, at + 1, sign)
        for sign in ("==", "===")
        if at >= 0
    ]
    head = node.head.text if isinstance(node.head, Atom) else "If"
    inspection.report_node_issue(
        IF_SET, test, f"`{head}` has an assignment as its test.", argument=head, edits=edits
    )


def _check_which(inspection: Inspection, node: Node) -> None:
    args = node.args
    if len(args) < 2 or len(args) % 2 or has_patterns(args[1::2]):
        return
    if is_symbol(args[0], "$OperatingSystem"):
        _report_confusion(
            inspection, node, "`Which` has `$OperatingSystem` as its first test.", "Switch"
        )
    for test in args[::2]:
        if _is_blank(test):
            _report_confusion(inspection, test, "`Which` has `_` as a test.", None)
    _report_duplicate_clauses(inspection, "Which", args[::2])
    for place in range(0, len(args) - 2, 2):
        if is_symbol(args[place], "True"):
            _report_unreachable_clauses(inspection, "Which", "True", args[place + 2 :])
            break


def _check_switch(inspection: Inspection, node: Node) -> None:
    args = node.args
    if len(args) < 3 or len(args) % 2 == 0:
        return
    cases = args[1::2]
    is_confused = (
        len(cases) > 1
        and is_symbol(cases[-1], "True")
        and not any(is_symbol(case, "False") for case in cases)
    )
    if is_confused:
        edit = IssueFix("Replace `True` with `_`", cases[-1].start, cases[-1].end, "_")
        _report_confusion(
            inspection, cases[-1], "`Switch` has `True` as its last pattern.", None, edit
        )
    _report_duplicate_clauses(inspection, "Switch", cases)
    for place in range(1, len(args) - 2, 2):
        if _is_blank(args[place]):
            _report_unreachable_clauses(inspection, "Switch", "_", args[place + 2 :])
            break


def _is_blank(expression: Expression) -> bool:
    return isinstance(expression, Node) and has_head(expression, "Blank") and not expression.args


def _report_confusion(
    inspection: Inspection,
    at: Expression,
    description: str,
    better: str | None,
    edit: IssueFix | None = None,
) -> None:
    edits = [edit] if edit else []
    if better and isinstance(at, Node) and isinstance(at.head, Atom) and at.head.start >= 0:
        edits.append(IssueFix(f"Replace with `{better}`", at.head.start, at.head.end, better))
    inspection.report_node_issue(SWITCH_WHICH_CONFUSION, at, description, edits=edits)


def _report_duplicate_clauses(inspection: Inspection, head: str, tests: list[Expression]) -> None:
    seen: set[str] = set()
    for test in tests:
        if test.end - test.start > _MAX_COMPARED_CHARACTERS:
            continue
        key = full_form(test)
        if key in seen and not _is_missing_expression(test):
            inspection.report_node_issue(
                DUPLICATE_CLAUSES,
                test,
                f"{format_code(inspection.get_code(test))} stands twice in `{head}`: "
                "only the first is ever used.",
                argument=head,
            )
        seen.add(key)


def _report_unreachable_clauses(
    inspection: Inspection, head: str, last: str, clauses: list[Expression]
) -> None:
    inspection.report_issue(
        UNREACHABLE_CLAUSES,
        clauses[0].start,
        clauses[-1].end,
        f"`{head}` never gets to what stands after `{last}`.",
        argument=head,
    )


def _check_return(inspection: Inspection, node: Node) -> None:
    if len(node.args) == 1 and not has_patterns(node.args):
        inspection.report_node_issue(
            RETURN_AMBIGUOUS,
            node,
            "`Return` with one argument returns from whatever is around it when it is evaluated; "
            "its second argument says from what, as in `Return[value, Module]`.",
        )


def _collect_throw(inspection: Inspection, node: Node) -> None:
    if len(node.args) == 1:
        inspection.throws.append(node)


def _collect_catch(inspection: Inspection, node: Node) -> None:
    if len(node.args) == 1:
        inspection.catch_spans.add(node.start, node.end)


def _collect_hold(inspection: Inspection, node: Node) -> None:
    inspection.catch_spans.add(node.start, node.end)
    inspection.function_spans.add(node.start, node.end)


def _check_statements(inspection: Inspection, node: Node) -> None:
    for statement in node.args[:-1]:
        if (
            isinstance(statement, Node)
            and statement.form == "=="
            and not statement.is_grouped
            and has_head(statement, "Equal")
        ):
            left, right = statement.args[0], statement.args[-1]
            at = inspection.find_operator(left, "==", right)
            edits = [IssueFix("Replace `==` with `=`", at, at + 2, "=")] if at >= 0 else []
            inspection.report_node_issue(
                EQUAL_STATEMENT, statement, "The result of this comparison is lost.", edits=edits
            )


def _check_uncaught_throws(inspection: Inspection) -> None:
    for node in inspection.throws:
        if not inspection.catch_spans.covers(node.start):
            inspection.report_node_issue(
                NO_SURROUNDING_CATCH,
                node,
                "No `Catch` is around this `Throw`; give it a tag if a function elsewhere "
                "catches it.",
            )


CONTROL_NODE_CHECKS: dict[str, tuple[NodeCheck, ...]] = {
    **{
        head: (partial(_check_argument_count, head, *count),)
        for head, count in _ARGUMENT_COUNTS.items()
    },
    **dict.fromkeys(_HOLD_HEADS, (_collect_hold,)),
    "Return": (_check_return,),
    "Throw": (_collect_throw,),
    "Catch": (_collect_catch,),
    "CompoundExpression": (_check_statements,),
}
for _name, _check in (
    ("If", _check_if),
    ("While", _check_condition),
    ("Which", _check_which),
    ("Switch", _check_switch),
):
    CONTROL_NODE_CHECKS[_name] = (*CONTROL_NODE_CHECKS[_name], _check)
CONTROL_SOURCE_CHECKS: tuple[SourceCheck, ...] = (_check_uncaught_throws,)
