"""All rules, and what they are looked for with.

Checks by the head of an expression are made during the walk, the others when everything has been
seen.

The inspection of a text: one walk over its expressions, then what depends on all of them.
"""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from paddock.reports.inspection_report import (
    ALL_ISSUES,
    CodeIssue,
    SourceRange,
    SuggestedFix,
)
from paddock.wolfram.expressions import Atom, Node
from paddock.wolfram.inspection import (
    call_rules,
    control_rules,
    definition_rules,
    operator_rules,
    scope_rules,
    symbol_rules,
    text_rules,
)
from paddock.wolfram.inspection.inspection import (
    Inspection,
    SpanSet,
    count_positions_within,
    get_symbol_start,
    merge_checks,
)
from paddock.wolfram.inspection.scope_rules import SCOPING_SEVERITY_CHECKS
from paddock.wolfram.inspection.text_rules import LINE_RULE_TAGS as LINE_TAGS
from paddock.wolfram.inspection.text_rules import check_lines, find_suppressions, is_suppressed
from paddock.wolfram.parser import parse

if TYPE_CHECKING:
    from paddock.reports.inspection_report import IssueFilter
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspection import RawIssue, SourceCheck
    from paddock.wolfram.source import ParsedSource


RULES_BY_SUBJECT = {
    "Syntax": text_rules.SYNTAX_RULES,
    "Operators": operator_rules.OPERATOR_RULES,
    "Control flow": control_rules.CONTROL_RULES,
    "Definitions": definition_rules.DEFINITION_RULES,
    "Local names": scope_rules.SCOPE_RULES,
    "Values and arguments": call_rules.CALL_RULES,
    "Symbols": symbol_rules.SYMBOL_RULES,
    "Packages": symbol_rules.PACKAGE_RULES,
    "Comments": text_rules.COMMENT_RULES,
    "Lines": text_rules.LINE_RULES,
}
RULES = {rule.tag: rule for rules in RULES_BY_SUBJECT.values() for rule in rules}
"""Every rule by its tag."""
# Lists of variables come first: they say which assignments are initial values.
NODE_CHECKS = merge_checks(
    [
        scope_rules.SCOPE_NODE_CHECKS,
        control_rules.CONTROL_NODE_CHECKS,
        operator_rules.OPERATOR_NODE_CHECKS,
        definition_rules.DEFINITION_NODE_CHECKS,
        call_rules.CALL_NODE_CHECKS,
    ]
)
UNCONDITIONAL_CHECKS: tuple[SourceCheck, ...] = (
    *text_rules.SYNTAX_CHECKS,
    *text_rules.COMMENT_CHECKS,
)
"""What is checked wherever something cannot be read, too."""
SOURCE_CHECKS: tuple[SourceCheck, ...] = (
    *control_rules.CONTROL_SOURCE_CHECKS,
    *operator_rules.OPERATOR_SOURCE_CHECKS,
    *definition_rules.DEFINITION_SOURCE_CHECKS,
    *scope_rules.SCOPE_SOURCE_CHECKS,
    *call_rules.CALL_SOURCE_CHECKS,
    *symbol_rules.PACKAGE_SOURCE_CHECKS,
)
NAME_CHECKS = symbol_rules.SYMBOL_SOURCE_CHECKS
"""What is checked in patterns for code, too."""


def inspect_code(text: str, selection: IssueFilter = ALL_ISSUES) -> list[CodeIssue]:
    """The issues of a source text, in the order of their places; those of lines come last.

    It never raises for any text.
    """
    return inspect_source(parse(text), selection)


def inspect_source(source: ParsedSource, selection: IssueFilter = ALL_ISSUES) -> list[CodeIssue]:
    """The issues of a text that has been read already."""
    inspection = Inspection(source)
    # As in the parser: nothing of what is made here is garbage.
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        _run_checks(inspection, selection)
    finally:
        if is_collecting:
            gc.enable()
    found = sorted(inspection.issues, key=lambda one: (one.start, one.end))
    inspection.issues = []
    check_lines(inspection)
    return _build_issues(source, [*found, *inspection.issues], selection)


def _run_checks(inspection: Inspection, selection: IssueFilter) -> None:
    _walk_expressions(inspection)
    for places in inspection.symbol_positions.values():
        places.sort()
    if "Scoping" not in selection.excluded_severities:
        for check in SCOPING_SEVERITY_CHECKS:
            check(inspection)
    for check in SOURCE_CHECKS:
        check(inspection)
    inspection.issues = _drop_pattern_issues(inspection)
    for check in NAME_CHECKS:
        check(inspection)
    if inspection.source.problems:
        inspection.issues = _drop_unparsable_issues(inspection)
    for check in UNCONDITIONAL_CHECKS:
        check(inspection)


def _walk_expressions(inspection: Inspection) -> None:
    checks, symbols, text = NODE_CHECKS, inspection.symbol_positions, inspection.text
    waiting: list[Expression] = inspection.source.expressions[::-1]
    while waiting:
        found = waiting.pop()
        if isinstance(found, Node):
            head = found.head
            if isinstance(head, Atom):
                name = head.text
                if name in checks:
                    for check in checks[name]:
                        check(inspection, found)
                if head.start >= 0 and head.kind == "symbol":
                    symbols[name].append(
                        get_symbol_start(head, text) if head.is_grouped else head.start
                    )
                waiting += found.args[::-1]
            else:
                waiting += found.args[::-1]
                waiting.append(head)
        elif found.kind == "symbol" and found.start >= 0:
            symbols[found.text].append(
                get_symbol_start(found, text) if found.is_grouped else found.start
            )


def _drop_pattern_issues(inspection: Inspection) -> list[RawIssue]:
    """What was not found in patterns for code, which nobody evaluates."""
    covers = inspection.pattern_spans.covers
    return [one for one in inspection.issues if not covers(one.start)]


def _drop_unparsable_issues(inspection: Inspection) -> list[RawIssue]:
    """What was not found in expressions that could not be read rightly: there it may be wrong."""
    broken = SpanSet()
    starts = [problem.start for problem in inspection.source.problems]
    for expression in inspection.source.expressions:
        if count_positions_within(starts, expression.start, expression.end + 1):
            broken.add(expression.start, expression.end + 1)
    return [one for one in inspection.issues if not broken.covers(one.start)]


def _build_issues(
    source: ParsedSource, found: list[RawIssue], selection: IssueFilter
) -> list[CodeIssue]:
    silent = find_suppressions(source)
    issues = []
    for one in found:
        if silent and is_suppressed(silent, one):
            continue
        issue = CodeIssue(
            one.rule.tag,
            one.argument,
            one.rule.severity,
            one.confidence,
            one.description,
            _make_location(source, one.start, one.end),
            tuple(
                SuggestedFix(edit.label, _make_location(source, edit.start, edit.end), edit.text)
                for edit in one.fixes
            ),
        )
        if selection.matches(issue) and not _is_excluded_line(issue, selection):
            issues.append(issue)
    return issues


def _is_excluded_line(issue: CodeIssue, selection: IssueFilter) -> bool:
    """Of what is told of lines, an exclusion with any argument excludes all."""
    return issue.tag in LINE_TAGS and any(
        name.partition("::")[0] == issue.tag for name in selection.excluded_tags
    )


def _make_location(source: ParsedSource, start: int, end: int) -> SourceRange:
    return SourceRange(*source.get_position(start), *source.get_position(max(start, end)))
