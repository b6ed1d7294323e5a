"""Rules on control flow: `If`, `Which`, `Switch`, loops, `Return`, `Throw` and statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import (
    CALL_FORM,
    Atom,
    Node,
    are_equal,
    get_head_name,
    has_head,
    is_symbol,
)
from paddock.wolfram.inspection.inspection import IssueFix, format_code
from paddock.wolfram.inspection.rule_set import RuleSet
from paddock.wolfram.printer import full_form

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspection import Inspection

CONTROL_FLOW = RuleSet("Control flow")


_SEQUENCE_CONFIDENCE = 0.6
_MAX_COMPARED_CHARACTERS = 2_000
"""Longer tests are not compared: comparing nested ones would take quadratic time."""
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
_ONE_BODY = "it takes a list of variables and one body; statements are separated by `;`"
_SIGNATURES: dict[str, tuple[int, int | None, int, str]] = {
    "If": (2, 4, 1, "it takes a test and one to three branches"),
    "Which": (2, None, 2, "it takes pairs of a test and a value"),
    "Switch": (3, None, 2, "it takes an expression, and pairs of a pattern and a value"),
    "Module": (2, 2, 1, _ONE_BODY),
    "Block": (2, 2, 1, _ONE_BODY),
    "With": (2, None, 1, "it takes lists of variables and a body"),
    "While": (1, 2, 1, "it takes a test and a body"),
    "For": (3, 4, 1, "it takes a start, a test, a step and a body"),
    "Do": (2, None, 1, "it takes an expression and iterators"),
}
"""Minimum, maximum and step of the number of arguments, and their description."""


def has_patterns(args: list[Expression]) -> bool:
    """Return whether any argument is a pattern, which makes the whole call a pattern."""
    return any(
        isinstance(arg, Node) and isinstance(arg.head, Atom) and arg.head.text in _PATTERN_HEADS
        for arg in args
    )


def _may_be_sequence(arg: Expression) -> bool:
    """Return whether an argument could evaluate to several arguments."""
    if isinstance(arg, Atom):
        return arg.kind == "symbol" and arg.end > arg.start
    return isinstance(arg.head, Atom) and arg.head.text in _SEQUENCE_HEADS


ARGUMENTS = CONTROL_FLOW.add(
    "Arguments",
    "Error",
    0.95,
    "an invalid number of arguments of `If`, `Which`, `Switch`, `Module`, `With`, `Block`, "
    "`While`, `For` or `Do`; with confidence 60% if an argument could be a sequence",
)


@CONTROL_FLOW.check_nodes(*_SIGNATURES)
def _check_argument_count(inspection: Inspection, node: Node) -> None:
    """Report a number of arguments that the construct cannot have.

    The confidence is lower if an argument could evaluate to several arguments.
    """
    head, count = get_head_name(node), len(node.args)
    minimum, maximum, step, expected = _SIGNATURES[head]
    is_in_range = count >= minimum and (maximum is None or count <= maximum)
    is_valid = is_in_range and (count - minimum) % step == 0
    # Operator forms always have valid arguments, and a pattern may match several arguments.
    if is_valid or node.form != CALL_FORM or has_patterns(node.args):
        return
    inspection.report_node_issue(
        ARGUMENTS,
        node,
        f"`{head}` has {count} argument{'' if count == 1 else 's'}: {expected}.",
        argument=head,
        confidence=_SEQUENCE_CONFIDENCE if any(map(_may_be_sequence, node.args)) else None,
    )


DUPLICATE_CLAUSES = CONTROL_FLOW.add(
    "DuplicateClauses",
    "Error",
    0.9,
    "duplicate clauses: equal branches of an `If`, or equal tests in a `Which` or `Switch`",
)


@CONTROL_FLOW.check_nodes("If")
def _check_if(inspection: Inspection, node: Node) -> None:
    """Report equal branches of an `If`, and record an omitted branch as intended."""
    args = node.args
    if len(args) < 2:
        return
    if isinstance(args[1], Atom) and args[1].start == args[1].end:
        # `If[test, , b]` is common, and not an issue of the rule Comma.
        inspection.omitted_arguments.add(args[1].start)
    if len(args) >= 3 and are_equal(args[1], args[2]) and not _is_missing_expression(args[1]):
        inspection.report_node_issue(
            DUPLICATE_CLAUSES, args[2], "Both branches of `If` are equal.", argument="If"
        )


def _is_missing_expression(expression: Expression) -> bool:
    return isinstance(expression, Atom) and (
        expression.kind == "error" or expression.start == expression.end
    )


IF_SET = CONTROL_FLOW.add(
    "IfSet",
    "Warning",
    0.85,
    "an assignment as a test, `If[x = y, …]` or `While[x = y, …]`; not in parentheses",
)


@CONTROL_FLOW.check_nodes("If", "While")
def _check_condition(inspection: Inspection, node: Node) -> None:
    """Report an assignment as the test of `If` or `While`, as in `If[x = y, …]`."""
    if len(node.args) < 2:
        return
    test = node.args[0]
    if not (has_head(test, "Set") and test.form == "="):
        return
    # Parentheses mark an intended assignment, as in other languages.
    if test.is_grouped or len(test.args) != 2:
        return
    start = inspection.find_operator(test.args[0], "=", test.args[1])
    edits = [
        IssueFix(f"Replace `=` with `{sign}`", start, start + 1, sign)
        for sign in ("==", "===")
        if start >= 0
    ]
    head = get_head_name(node)
    inspection.report_node_issue(
        IF_SET, test, f"The test of `{head}` is an assignment.", argument=head, edits=edits
    )


@CONTROL_FLOW.check_nodes("Which")
def _check_which(inspection: Inspection, node: Node) -> None:
    """Report clauses of `Which` that are duplicate, unreachable, or look like those of `Switch`."""
    args = node.args
    # With an odd number, clauses cannot be paired. The rule Arguments reports that.
    if len(args) < 2 or len(args) % 2 or has_patterns(args[1::2]):
        return
    if is_symbol(args[0], "$OperatingSystem"):
        _report_confusion(
            inspection, node, "The first test of `Which` is `$OperatingSystem`.", "Switch"
        )
    for test in args[::2]:
        if _is_blank(test):
            _report_confusion(inspection, test, "A test of `Which` is `_`.", None)
    _report_duplicate_clauses(inspection, "Which", args[::2])
    for index in range(0, len(args) - 2, 2):
        if is_symbol(args[index], "True"):
            _report_unreachable_clauses(inspection, "Which", "True", args[index + 2 :])
            break


@CONTROL_FLOW.check_nodes("Switch")
def _check_switch(inspection: Inspection, node: Node) -> None:
    """Report clauses of `Switch` that are duplicate, unreachable, or look like those of `Which`."""
    args = node.args
    if len(args) < 3 or len(args) % 2 == 0:
        return
    cases = args[1::2]
    # `True` as a pattern is legitimate beside `False`: the cases then distinguish booleans.
    is_confused = (
        len(cases) > 1
        and is_symbol(cases[-1], "True")
        and not any(is_symbol(case, "False") for case in cases)
    )
    if is_confused:
        edit = IssueFix("Replace `True` with `_`", cases[-1].start, cases[-1].end, "_")
        _report_confusion(
            inspection, cases[-1], "The last pattern of `Switch` is `True`.", None, edit
        )
    _report_duplicate_clauses(inspection, "Switch", cases)
    for index in range(1, len(args) - 2, 2):
        if _is_blank(args[index]):
            _report_unreachable_clauses(inspection, "Switch", "_", args[index + 2 :])
            break


def _is_blank(expression: Expression) -> bool:
    return has_head(expression, "Blank") and not expression.args


SWITCH_WHICH_CONFUSION = CONTROL_FLOW.add(
    "SwitchWhichConfusion",
    "Error",
    0.85,
    "`Which` with `_` as a test or `$OperatingSystem` as the first test, and `Switch` with the "
    "last pattern `True` and no pattern `False`",
)


def _report_confusion(
    inspection: Inspection,
    expression: Expression,
    description: str,
    suggested_head: str | None,
    edit: IssueFix | None = None,
) -> None:
    """Report that `Which` and `Switch` are confused.

    Args:
        inspection: The inspection.
        expression: The expression to report.
        description: The description of the issue.
        suggested_head: The head that was probably meant, for a fix that replaces the head of
            `expression`. None suggests no such fix.
        edit: Another fix, if any.
    """
    edits = [edit] if edit else []
    if (
        suggested_head
        and isinstance(expression, Node)
        and isinstance(expression.head, Atom)
        and expression.head.start >= 0
    ):
        edits.append(
            IssueFix(
                f"Replace with `{suggested_head}`",
                expression.head.start,
                expression.head.end,
                suggested_head,
            )
        )
    inspection.report_node_issue(SWITCH_WHICH_CONFUSION, expression, description, edits=edits)


def _report_duplicate_clauses(inspection: Inspection, head: str, tests: list[Expression]) -> None:
    """Report tests or patterns that occur twice, because the second clause is never used."""
    seen_forms: set[str] = set()
    for test in tests:
        if test.end - test.start > _MAX_COMPARED_CHARACTERS:
            continue
        # Compare full forms, since the same test may be written in different notations.
        form = full_form(test)
        if form in seen_forms and not _is_missing_expression(test):
            inspection.report_node_issue(
                DUPLICATE_CLAUSES,
                test,
                f"{format_code(inspection.get_code(test))} occurs twice in `{head}`: "
                "the second one is never used.",
                argument=head,
            )
        seen_forms.add(form)


UNREACHABLE_CLAUSES = CONTROL_FLOW.add(
    "UnreachableClauses",
    "Warning",
    0.95,
    "clauses after the test `True` of a `Which` or the pattern `_` of a `Switch`",
)


def _report_unreachable_clauses(
    inspection: Inspection, head: str, last: str, clauses: list[Expression]
) -> None:
    inspection.report_issue(
        UNREACHABLE_CLAUSES,
        clauses[0].start,
        clauses[-1].end,
        f"`{head}` never reaches the clauses after `{last}`.",
        argument=head,
    )


RETURN_AMBIGUOUS = CONTROL_FLOW.add(
    "ReturnAmbiguous",
    "Warning",
    0.9,
    "`Return[value]`, which does not specify what it returns from",
)


@CONTROL_FLOW.check_nodes("Return")
def _check_return(inspection: Inspection, node: Node) -> None:
    """Report `Return` with one argument. The second argument would name what it returns from."""
    if len(node.args) == 1 and not has_patterns(node.args):
        inspection.report_node_issue(
            RETURN_AMBIGUOUS,
            node,
            "`Return` with one argument returns from whichever construct encloses it when it is "
            "evaluated; specify the construct, as in `Return[value, Module]`.",
        )


@CONTROL_FLOW.check_nodes("Throw")
def _collect_throw(inspection: Inspection, node: Node) -> None:
    if len(node.args) == 1:
        inspection.throws.append(node)


@CONTROL_FLOW.check_nodes("Catch")
def _collect_catch(inspection: Inspection, node: Node) -> None:
    """Record where a `Throw` without a tag is caught.

    A `Catch` with a form catches tagged ones only.
    """
    if len(node.args) == 1:
        inspection.catch_spans.add(node.start, node.end)


@CONTROL_FLOW.check_nodes("Hold", "HoldForm", "HoldComplete", "HoldCompleteForm")
def _collect_hold(inspection: Inspection, node: Node) -> None:
    """Record code that is not evaluated."""
    # Held code is not evaluated here, so its `Throw` and slots belong to the code that releases it.
    inspection.catch_spans.add(node.start, node.end)
    inspection.function_spans.add(node.start, node.end)


EQUAL_STATEMENT = CONTROL_FLOW.add(
    "EqualStatement", "Warning", 0.85, "a comparison as a statement, `x == y;`"
)


@CONTROL_FLOW.check_nodes("CompoundExpression")
def _check_statements(inspection: Inspection, node: Node) -> None:
    """Report comparisons as statements, where an assignment was probably meant."""
    # The last statement is the result of the compound expression, so its value is used.
    for statement in node.args[:-1]:
        if (
            isinstance(statement, Node)
            and statement.form == "=="
            and not statement.is_grouped
            and has_head(statement, "Equal")
        ):
            left, right = statement.args[0], statement.args[-1]
            start = inspection.find_operator(left, "==", right)
            edits = [IssueFix("Replace `==` with `=`", start, start + 2, "=")] if start >= 0 else []
            inspection.report_node_issue(
                EQUAL_STATEMENT,
                statement,
                "The result of this comparison is discarded.",
                edits=edits,
            )


NO_SURROUNDING_CATCH = CONTROL_FLOW.add(
    "NoSurroundingCatch",
    "Error",
    0.9,
    "`Throw[value]` that is not inside a `Catch[…]` with one argument",
)


@CONTROL_FLOW.check_source
def _check_uncaught_throws(inspection: Inspection) -> None:
    """Report a `Throw` without a tag outside of any `Catch`."""
    for node in inspection.throws:
        if not inspection.catch_spans.covers(node.start):
            inspection.report_node_issue(
                NO_SURROUNDING_CATCH,
                node,
                "This `Throw` is not inside a `Catch`; add a tag if a function elsewhere catches "
                "it.",
            )
