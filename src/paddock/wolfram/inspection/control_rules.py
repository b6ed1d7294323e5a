"""Rules about control flow: `If`, `Which`, `Switch`, loops, `Return`, `Throw` and statements."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from paddock.wolfram.expressions import (
    CALL_FORM,
    Atom,
    are_equal,
    get_head_name,
    has_any_head,
    has_head,
    is_symbol,
)
from paddock.wolfram.inspection.inspection import IssueFix, TextSpan
from paddock.wolfram.inspection.rule_set import RuleSet
from paddock.wolfram.printer import full_form

if TYPE_CHECKING:
    from paddock.wolfram.expressions import Expression, Node
    from paddock.wolfram.inspection.inspection import Inspection

CONTROL_FLOW = RuleSet()


_SEQUENCE_CONFIDENCE = 0.6
_MAX_COMPARED_CHARACTERS = 2_000
"""Longer tests are not compared: comparing nested ones would take quadratic time."""
_SEQUENCE_HEADS = ("SlotSequence", "Sequence", "Splice", "Unevaluated", "Apply", "Nothing")
_PATTERN_HEADS = frozenset(
    (
        *("Blank", "BlankSequence", "BlankNullSequence", "Pattern", "PatternTest", "Optional"),
        "Verbatim",
    )
)
_ONE_BODY = "it takes a list of variables and one body; statements are separated by `;`"


class _ArgumentCountRule(NamedTuple):
    """The argument counts that a control construct such as `Which` accepts."""

    minimum: int
    maximum: int | None
    """None if there is no maximum."""
    step: int
    """2 if the remaining arguments come in pairs, otherwise 1."""
    description: str
    """A clause for issue descriptions, such as `it takes pairs of a test and a value`."""

    def accepts(self, count: int) -> bool:
        """Return whether the construct accepts this number of arguments."""
        is_in_range = self.minimum <= count and (self.maximum is None or count <= self.maximum)
        return is_in_range and (count - self.minimum) % self.step == 0


_ARGUMENT_COUNT_RULES = {
    "If": _ArgumentCountRule(2, 4, 1, "it takes a test and one to three branches"),
    "Which": _ArgumentCountRule(2, None, 2, "it takes pairs of a test and a value"),
    "Switch": _ArgumentCountRule(
        3, None, 2, "it takes an expression, and pairs of a pattern and a value"
    ),
    "Module": _ArgumentCountRule(2, 2, 1, _ONE_BODY),
    "Block": _ArgumentCountRule(2, 2, 1, _ONE_BODY),
    "With": _ArgumentCountRule(2, None, 1, "it takes lists of variables and a body"),
    "While": _ArgumentCountRule(1, 2, 1, "it takes a test and a body"),
    "For": _ArgumentCountRule(3, 4, 1, "it takes a start, a test, a step and a body"),
    "Do": _ArgumentCountRule(2, None, 1, "it takes an expression and iterators"),
}


def has_patterns(args: list[Expression]) -> bool:
    """Return whether any argument is a pattern. If so, the whole call is a pattern."""
    return any(has_any_head(arg, _PATTERN_HEADS) for arg in args)


def _may_be_sequence(arg: Expression) -> bool:
    """Return whether an argument could evaluate to multiple arguments."""
    if isinstance(arg, Atom):
        return arg.kind == "symbol" and arg.end > arg.start
    return has_any_head(arg, _SEQUENCE_HEADS)


@CONTROL_FLOW.check_nodes(*_ARGUMENT_COUNT_RULES)
def _check_argument_count(inspection: Inspection, node: Node) -> None:
    """Report a control construct with too few or too many arguments, such as `If[x]`.

    The confidence is lower if an argument could evaluate to multiple arguments.
    """
    head, count = get_head_name(node), len(node.args)
    rule = _ARGUMENT_COUNT_RULES[head]
    # Operator forms always have valid arguments, and a pattern may match multiple arguments.
    if rule.accepts(count) or node.form != CALL_FORM or has_patterns(node.args):
        return
    inspection.report_issue(
        "Arguments",
        node,
        f"`{head}` has {count} argument{'' if count == 1 else 's'}: {rule.description}.",
        argument=head,
        confidence=_SEQUENCE_CONFIDENCE if any(map(_may_be_sequence, node.args)) else None,
    )


@CONTROL_FLOW.check_nodes("If")
def _check_equal_branches(inspection: Inspection, node: Node) -> None:
    """Report an `If` with two identical branches.

    An omitted first branch, as in `If[test, , b]`, is recorded as intentional, so that the `Comma`
    rule does not report it.
    """
    if len(node.args) < 2:
        return
    true_branch, *other_branches = node.args[1:]
    # The parser inserts an atom with no source text for an omitted argument.
    if isinstance(true_branch, Atom) and true_branch.start == true_branch.end:
        inspection.omitted_arguments.add(true_branch.start)
    if not other_branches or _is_missing_expression(true_branch):
        return
    false_branch = other_branches[0]
    if are_equal(true_branch, false_branch):
        inspection.report_issue(
            "DuplicateClauses", false_branch, "Both branches of `If` are equal.", argument="If"
        )


def _is_missing_expression(expression: Expression) -> bool:
    return isinstance(expression, Atom) and (
        expression.kind == "error" or expression.start == expression.end
    )


@CONTROL_FLOW.check_nodes("If", "While")
def _check_assignment_as_test(inspection: Inspection, node: Node) -> None:
    """Report an assignment used as the test of `If` or `While`, as in `If[x = y, …]`."""
    if len(node.args) < 2:
        return
    test = node.args[0]
    if not (has_head(test, "Set") and test.form == "="):
        return
    # As in other languages, parentheses mark an assignment as intentional.
    if test.is_grouped or len(test.args) != 2:
        return
    head = get_head_name(node)
    inspection.report_issue(
        "IfSet",
        test,
        f"The test of `{head}` is an assignment.",
        argument=head,
        fixes=inspection.build_sign_fixes(test.args[0], "=", test.args[1], ("==", "===")),
    )


@CONTROL_FLOW.check_nodes("Which")
def _check_which_clauses(inspection: Inspection, node: Node) -> None:
    """Report duplicate and unreachable clauses of `Which[test, value, …]`.

    Clauses that look like those of `Switch`, such as the test `_`, are reported too.
    """
    args = node.args
    tests = args[::2]
    # An odd number of arguments does not form pairs. The `Arguments` rule reports this.
    if len(args) < 2 or len(args) % 2 or has_patterns(args[1::2]):
        return
    if is_symbol(args[0], "$OperatingSystem"):
        # Only a head that appears in the source can be replaced.
        has_text = isinstance(node.head, Atom) and node.head.start >= 0
        inspection.report_issue(
            "SwitchWhichConfusion",
            node,
            "The first test of `Which` is `$OperatingSystem`.",
            fixes=[IssueFix("Replace with `Switch`", node.head, "Switch")] if has_text else [],
        )
    for test in filter(_is_blank, tests):
        inspection.report_issue("SwitchWhichConfusion", test, "A test of `Which` is `_`.")
    _report_duplicate_clauses(inspection, "Which", tests)
    for index, test in enumerate(tests[:-1]):
        if is_symbol(test, "True"):
            _report_unreachable_clauses(inspection, "Which", "True", args[2 * index + 2 :])
            break


@CONTROL_FLOW.check_nodes("Switch")
def _check_switch_clauses(inspection: Inspection, node: Node) -> None:
    """Report duplicate and unreachable clauses of `Switch[expression, pattern, value, …]`.

    A final pattern `True` is reported too, because it belongs in `Which`.
    """
    args = node.args
    if len(args) < 3 or len(args) % 2 == 0:
        return
    patterns = args[1::2]
    # The pattern `True` is legitimate next to `False`, because they then distinguish booleans.
    has_true_as_default = (
        len(patterns) > 1
        and is_symbol(patterns[-1], "True")
        and not any(is_symbol(pattern, "False") for pattern in patterns)
    )
    if has_true_as_default:
        inspection.report_issue(
            "SwitchWhichConfusion",
            patterns[-1],
            "The last pattern of `Switch` is `True`.",
            fixes=[IssueFix("Replace `True` with `_`", patterns[-1], "_")],
        )
    _report_duplicate_clauses(inspection, "Switch", patterns)
    for index, pattern in enumerate(patterns[:-1]):
        if _is_blank(pattern):
            _report_unreachable_clauses(inspection, "Switch", "_", args[2 * index + 3 :])
            break


def _is_blank(expression: Expression) -> bool:
    return has_head(expression, "Blank") and not expression.args


def _report_duplicate_clauses(inspection: Inspection, head: str, tests: list[Expression]) -> None:
    """Report `Which` tests or `Switch` patterns that occur twice.

    The second clause is never used.

    Args:
        inspection: The inspection that collects the issues.
        head: `Which` or `Switch`.
        tests: The tests or patterns of all clauses.
    """
    seen_full_forms: set[str] = set()
    for test in tests:
        if test.end - test.start > _MAX_COMPARED_CHARACTERS:
            continue
        # Full forms are compared, because the same test may be written in different notations.
        test_full_form = full_form(test)
        if test_full_form in seen_full_forms and not _is_missing_expression(test):
            inspection.report_issue(
                "DuplicateClauses",
                test,
                f"{inspection.quote_code(test)} occurs twice in `{head}`: "
                "the second one is never used.",
                argument=head,
            )
        seen_full_forms.add(test_full_form)


def _report_unreachable_clauses(
    inspection: Inspection, head: str, matching_test: str, clauses: list[Expression]
) -> None:
    """Report `Which` or `Switch` clauses after a test that always matches.

    Args:
        inspection: The inspection that collects the issues.
        head: `Which` or `Switch`.
        matching_test: The test: `True` in `Which`, or `_` in `Switch`.
        clauses: The arguments after the clause with this test.
    """
    inspection.report_issue(
        "UnreachableClauses",
        TextSpan(clauses[0].start, clauses[-1].end),
        f"`{head}` never reaches the clauses after `{matching_test}`.",
        argument=head,
    )


@CONTROL_FLOW.check_nodes("Return")
def _check_ambiguous_return(inspection: Inspection, node: Node) -> None:
    """Report `Return[value]`, because it is ambiguous which construct it returns from.

    The second argument of `Return[value, Module]` specifies the construct.
    """
    if len(node.args) == 1 and not has_patterns(node.args):
        inspection.report_issue(
            "ReturnAmbiguous",
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
    """Record where an untagged `Throw` is caught.

    A `Catch` with a form only catches tagged throws.
    """
    if len(node.args) == 1:
        inspection.catch_spans.add(node.start, node.end)


@CONTROL_FLOW.check_nodes("Hold", "HoldForm", "HoldComplete", "HoldCompleteForm")
def _collect_hold(inspection: Inspection, node: Node) -> None:
    """Record code that is not evaluated."""
    # Held code is not evaluated here, so its `Throw` and slots belong to the code that releases it.
    inspection.catch_spans.add(node.start, node.end)
    inspection.function_spans.add(node.start, node.end)


@CONTROL_FLOW.check_nodes("CompoundExpression")
def _check_discarded_comparisons(inspection: Inspection, node: Node) -> None:
    """Report a comparison used as a statement, probably for an assignment: `x == 1; f[x]`."""
    # The last statement is the result of the compound expression, so its value is not discarded.
    for statement in node.args[:-1]:
        if has_head(statement, "Equal") and statement.form == "==" and not statement.is_grouped:
            left, right = statement.args[0], statement.args[-1]
            inspection.report_issue(
                "EqualStatement",
                statement,
                "The result of this comparison is discarded.",
                fixes=inspection.build_sign_fixes(left, "==", right, ("=",)),
            )


@CONTROL_FLOW.check_source
def _check_uncaught_throws(inspection: Inspection) -> None:
    """Report each untagged `Throw` that is outside any `Catch`.

    The walk over the source has already collected these throws and the catch spans.
    """
    for node in inspection.throws:
        if not inspection.catch_spans.covers(node.start):
            inspection.report_issue(
                "NoSurroundingCatch",
                node,
                "This `Throw` is not inside a `Catch`; add a tag if a function elsewhere catches "
                "it.",
            )
