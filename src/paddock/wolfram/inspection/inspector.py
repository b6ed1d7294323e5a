"""The inspector, which runs the checks of all rules on a source and returns the issues.

A single walk over the expressions runs the node checks. The source checks come after it, because
they need the whole source: for example, all uses of a symbol.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from paddock.reports.inspection_report import ALL_ISSUES, CodeIssue, SourceRange, SuggestedFix
from paddock.wolfram.expressions import Node
from paddock.wolfram.inspection.call_rules import CALLS
from paddock.wolfram.inspection.control_rules import CONTROL_FLOW
from paddock.wolfram.inspection.definition_rules import DEFINITIONS
from paddock.wolfram.inspection.inspection import (
    Inspection,
    SpanSet,
    count_positions_within,
    get_symbol_start,
)
from paddock.wolfram.inspection.operator_rules import OPERATORS
from paddock.wolfram.inspection.rule_table import RULES
from paddock.wolfram.inspection.scope_rules import LOCAL_NAMES
from paddock.wolfram.inspection.symbol_rules import PACKAGES, SYMBOLS
from paddock.wolfram.inspection.text_rules import (
    COMMENTS,
    LINES,
    SYNTAX,
    find_suppressions,
    is_suppressed,
)
from paddock.wolfram.parse_state import defer_gc
from paddock.wolfram.parser import parse

if TYPE_CHECKING:
    from paddock.reports.inspection_report import IssueFilter
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspection import IssuePlace
    from paddock.wolfram.inspection.rule_set import NodeCheck, RuleSet
    from paddock.wolfram.source import ParsedSource


# LOCAL_NAMES must come first: it records the initial values, which SelfAssignment skips.
_CODE_RULE_SETS = (LOCAL_NAMES, CONTROL_FLOW, OPERATORS, DEFINITIONS, CALLS, PACKAGES)
"""Rules about evaluated code, which excludes code within `HoldPattern`."""
_LINE_TAGS = frozenset(rule.tag for rule in RULES.values() if rule.subject == "Lines")


def _merge_node_checks() -> dict[str, list[NodeCheck]]:
    """Return the checks of all rules about code, by the heads of the nodes they check.

    They are grouped so that the walk over the source only needs one lookup per node.
    """
    checks: defaultdict[str, list[NodeCheck]] = defaultdict(list)
    for rule_set in _CODE_RULE_SETS:
        for head, head_checks in rule_set.node_checks.items():
            checks[head] += head_checks
    return dict(checks)


_NODE_CHECKS = _merge_node_checks()


def inspect_code(text: str, selection: IssueFilter = ALL_ISSUES) -> list[CodeIssue]:
    """Return the issues in a source text.

    Never raises. Issues are ordered by position, and those about lines come last.
    """
    return inspect_source(parse(text), selection)


def inspect_source(source: ParsedSource, selection: IssueFilter = ALL_ISSUES) -> list[CodeIssue]:
    """Return the issues that the code inspector finds in parsed Wolfram Language code.

    Issues in code come first, ordered by position. Issues about line and file lengths follow.

    Args:
        source: The parsed code.
        selection: The filter that selects the issues to return. By default, all issues are
            returned.
    """
    inspection = Inspection(source)
    with defer_gc():
        _check_code(inspection, selection)
    inspection.issues.sort(key=lambda issue: (issue.place.start, issue.place.end))
    # These checks run after sorting so that their issues come last.
    _run_source_checks(inspection, LINES)
    return _build_issues(inspection, selection)


def _check_code(inspection: Inspection, selection: IssueFilter) -> None:
    """Run all checks except those of line and file lengths.

    The order matters, because issues within patterns and broken expressions are removed between the
    steps. Rules that also apply there run after the removal.
    """
    _walk_expressions(inspection)
    # These checks are skipped, because all of their issues would be excluded anyway.
    if "Scoping" not in selection.excluded_severities:
        for check in LOCAL_NAMES.scoping_checks:
            check(inspection)
    _run_source_checks(inspection, *_CODE_RULE_SETS)
    # Code within `HoldPattern` and similar heads is matched, not evaluated.
    _drop_issues_within(inspection, inspection.pattern_spans)
    # Names are checked after that removal, because a misspelled name is wrong in a pattern too.
    _run_source_checks(inspection, SYMBOLS)
    # Expressions with syntax errors may have been parsed incorrectly.
    _drop_issues_within(inspection, _get_broken_spans(inspection.source))
    _run_source_checks(inspection, SYNTAX, COMMENTS)


def _run_source_checks(inspection: Inspection, *rule_sets: RuleSet) -> None:
    for rule_set in rule_sets:
        for check in rule_set.source_checks:
            check(inspection)


def _walk_expressions(inspection: Inspection) -> None:
    """Run the node checks, and record the positions of all symbols.

    This is the only walk over all expressions. It uses a stack instead of recursion, so the code
    can be nested to any depth.
    """
    # This loop runs once per expression, so attribute lookups are kept out of it.
    checks, symbols, text = _NODE_CHECKS, inspection.symbol_positions, inspection.text
    pending: list[Expression] = inspection.source.expressions[::-1]
    while pending:
        expression = pending.pop()
        if isinstance(expression, Node):
            pending += expression.args[::-1]
            atom = expression.head
            if isinstance(atom, Node):
                pending.append(atom)
                continue
            head = atom.text
            if head in checks:
                for check in checks[head]:
                    check(inspection, expression)
        else:
            atom = expression
        # Heads that the parser added have no position: the source of `a + b` has no `Plus`.
        start = atom.start
        if start >= 0 and atom.kind == "symbol":
            symbols[atom.text].append(get_symbol_start(atom, text) if atom.is_grouped else start)
    for positions in symbols.values():
        positions.sort()


def _drop_issues_within(inspection: Inspection, spans: SpanSet) -> None:
    """Remove issues that begin within the spans."""
    inspection.issues = [
        issue for issue in inspection.issues if not spans.covers(issue.place.start)
    ]


def _get_broken_spans(source: ParsedSource) -> SpanSet:
    """Return the spans of the top-level expressions that contain syntax errors."""
    broken_spans = SpanSet()
    problem_starts = [problem.start for problem in source.problems]
    for expression in source.expressions if problem_starts else ():
        if count_positions_within(problem_starts, expression.start, expression.end + 1):
            broken_spans.add(expression.start, expression.end + 1)
    return broken_spans


def _build_issues(inspection: Inspection, selection: IssueFilter) -> list[CodeIssue]:
    """Return the final issues, with lines and columns instead of offsets.

    Issues that a source comment suppresses or the selection excludes are omitted.
    """
    source = inspection.source
    suppressions = find_suppressions(source)
    issues = []
    for raw_issue in inspection.issues:
        if is_suppressed(suppressions, raw_issue):
            continue
        issue = CodeIssue(
            raw_issue.rule.tag,
            raw_issue.argument,
            raw_issue.rule.severity,
            raw_issue.confidence,
            raw_issue.description,
            _make_range(source, raw_issue.place),
            tuple(
                SuggestedFix(fix.label, _make_range(source, fix.place), fix.text)
                for fix in raw_issue.fixes
            ),
        )
        if selection.matches(issue) and not _is_excluded_line(issue, selection):
            issues.append(issue)
    return issues


def _is_excluded_line(issue: CodeIssue, selection: IssueFilter) -> bool:
    """Return whether the selection excludes the tag of a length issue.

    An excluded name such as `tag::argument` excludes all length issues with the tag, regardless of
    the argument.
    """
    return issue.tag in _LINE_TAGS and any(
        name.partition("::")[0] == issue.tag for name in selection.excluded_tags
    )


def _make_range(source: ParsedSource, place: IssuePlace) -> SourceRange:
    end = max(place.start, place.end)
    return SourceRange(*source.get_position(place.start), *source.get_position(end))
