"""Inspector: runs the checks of all rules on a source and returns the issues.

One walk over the expressions runs the node checks. The source checks follow, because they need to
know the whole source: all uses of a symbol, for example.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from paddock.reports.inspection_report import (
    ALL_ISSUES,
    CodeIssue,
    SourceRange,
    SuggestedFix,
)
from paddock.wolfram.expressions import Atom, Node
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
    from paddock.wolfram.inspection.inspection import RawIssue
    from paddock.wolfram.inspection.rule_set import NodeCheck, RuleSet
    from paddock.wolfram.source import ParsedSource


RULE_SETS = (
    *(SYNTAX, OPERATORS, CONTROL_FLOW, DEFINITIONS, LOCAL_NAMES),
    *(CALLS, SYMBOLS, PACKAGES, COMMENTS, LINES),
)
"""All rules, in the order of the documentation."""
RULES = {rule.tag: rule for rule_set in RULE_SETS for rule in rule_set.rules}
"""All rules by tag."""
# LOCAL_NAMES must come first: it records the initial values, which SelfAssignment skips.
_CODE_RULE_SETS = (LOCAL_NAMES, CONTROL_FLOW, OPERATORS, DEFINITIONS, CALLS, PACKAGES)
"""Rules on code that is evaluated, so not within `HoldPattern`."""
_LINE_TAGS = frozenset(rule.tag for rule in LINES.rules)


def _merge_node_checks() -> dict[str, list[NodeCheck]]:
    """Return the node checks of all code rule sets, grouped by head.

    The walk then needs one lookup for each node.
    """
    checks: defaultdict[str, list[NodeCheck]] = defaultdict(list)
    for rule_set in _CODE_RULE_SETS:
        for head, head_checks in rule_set.node_checks.items():
            checks[head] += head_checks
    return dict(checks)


_NODE_CHECKS = _merge_node_checks()


def inspect_code(text: str, selection: IssueFilter = ALL_ISSUES) -> list[CodeIssue]:
    """Return the issues in a source text.

    Never raises. Issues are in order of position, those about lines come last.
    """
    return inspect_source(parse(text), selection)


def inspect_source(source: ParsedSource, selection: IssueFilter = ALL_ISSUES) -> list[CodeIssue]:
    """Return the issues in a parsed source."""
    inspection = Inspection(source)
    with defer_gc():
        _check_code(inspection, selection)
    issues = sorted(inspection.issues, key=lambda issue: (issue.start, issue.end))
    # Line issues are computed separately so that they come last.
    inspection.issues = []
    _run_source_checks(inspection, LINES)
    return _build_issues(source, [*issues, *inspection.issues], selection)


def _check_code(inspection: Inspection, selection: IssueFilter) -> None:
    """Run all checks except those about lines.

    The order matters. Issues within patterns and within broken expressions are removed between the
    steps, so that rules that also apply there run after the removal.
    """
    _walk_expressions(inspection)
    for positions in inspection.symbol_positions.values():
        positions.sort()
    # These checks are skipped because all of their issues would be excluded anyway.
    if "Scoping" not in selection.excluded_severities:
        for check in LOCAL_NAMES.scoping_checks:
            check(inspection)
    _run_source_checks(inspection, *_CODE_RULE_SETS)
    _drop_pattern_issues(inspection)
    # Names are checked after that removal, because a misspelled name is wrong in a pattern too.
    _run_source_checks(inspection, SYMBOLS)
    if inspection.source.problems:
        _drop_unparsable_issues(inspection)
    _run_source_checks(inspection, SYNTAX, COMMENTS)


def _run_source_checks(inspection: Inspection, *rule_sets: RuleSet) -> None:
    for rule_set in rule_sets:
        for check in rule_set.source_checks:
            check(inspection)


def _walk_expressions(inspection: Inspection) -> None:
    """Run the node checks and record the positions of all symbols.

    This is the only walk over all expressions. It uses a stack, so that nesting depth is not
    limited.
    """
    # This loop runs once for each expression, so attribute lookups are kept out of it.
    checks, symbols, text = _NODE_CHECKS, inspection.symbol_positions, inspection.text
    pending: list[Expression] = inspection.source.expressions[::-1]
    while pending:
        expression = pending.pop()
        if isinstance(expression, Node):
            head = expression.head
            if isinstance(head, Atom):
                name = head.text
                if name in checks:
                    for check in checks[name]:
                        check(inspection, expression)
                # Heads that the parser added have no position: the source of `a + b` has no `Plus`.
                if head.start >= 0 and head.kind == "symbol":
                    symbols[name].append(
                        get_symbol_start(head, text) if head.is_grouped else head.start
                    )
                pending += expression.args[::-1]
            else:
                pending += expression.args[::-1]
                pending.append(head)
        elif expression.kind == "symbol" and expression.start >= 0:
            symbols[expression.text].append(
                get_symbol_start(expression, text) if expression.is_grouped else expression.start
            )


def _drop_pattern_issues(inspection: Inspection) -> None:
    """Remove issues within `HoldPattern` and the like: that code is matched, not evaluated."""
    covers = inspection.pattern_spans.covers
    inspection.issues = [issue for issue in inspection.issues if not covers(issue.start)]


def _drop_unparsable_issues(inspection: Inspection) -> None:
    """Remove issues in expressions with syntax errors, which may be parsed incorrectly."""
    broken_spans = SpanSet()
    problem_starts = [problem.start for problem in inspection.source.problems]
    for expression in inspection.source.expressions:
        if count_positions_within(problem_starts, expression.start, expression.end + 1):
            broken_spans.add(expression.start, expression.end + 1)
    inspection.issues = [
        issue for issue in inspection.issues if not broken_spans.covers(issue.start)
    ]


def _build_issues(
    source: ParsedSource, raw_issues: list[RawIssue], selection: IssueFilter
) -> list[CodeIssue]:
    """Convert raw issues to reported ones, with lines and columns for offsets.

    Suppressed issues and issues that the selection excludes are left out.
    """
    suppressions = find_suppressions(source)
    issues = []
    for raw_issue in raw_issues:
        if suppressions and is_suppressed(suppressions, raw_issue):
            continue
        issue = CodeIssue(
            raw_issue.rule.tag,
            raw_issue.argument,
            raw_issue.rule.severity,
            raw_issue.confidence,
            raw_issue.description,
            _make_range(source, raw_issue.start, raw_issue.end),
            tuple(
                SuggestedFix(fix.label, _make_range(source, fix.start, fix.end), fix.text)
                for fix in raw_issue.fixes
            ),
        )
        if selection.matches(issue) and not _is_excluded_line(issue, selection):
            issues.append(issue)
    return issues


def _is_excluded_line(issue: CodeIssue, selection: IssueFilter) -> bool:
    """Return whether an issue about lines is excluded by its tag.

    For these issues, excluding a tag with any argument excludes all issues with the tag.
    """
    return issue.tag in _LINE_TAGS and any(
        name.partition("::")[0] == issue.tag for name in selection.excluded_tags
    )


def _make_range(source: ParsedSource, start: int, end: int) -> SourceRange:
    return SourceRange(*source.get_position(start), *source.get_position(max(start, end)))
