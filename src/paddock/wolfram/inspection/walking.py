"""The inspection of a text: one walk over its expressions, then what depends on all of them."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

from paddock.reports.issues import EVERYTHING, Fix, Issue, Place
from paddock.wolfram.expressions import Atom, Node
from paddock.wolfram.inspection.comments import is_silent, silences
from paddock.wolfram.inspection.inspecting import Inspection, start_of
from paddock.wolfram.inspection.lines import TAGS as LINE_TAGS
from paddock.wolfram.inspection.lines import check_lines
from paddock.wolfram.inspection.scopes import ON_SCOPING
from paddock.wolfram.inspection.spans import Spans, count_within
from paddock.wolfram.inspection.table import AFTERWARDS, ALWAYS, CHECKS, NAMES
from paddock.wolfram.parser import parse

if TYPE_CHECKING:
    from paddock.reports.issues import Selection
    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspecting import Found
    from paddock.wolfram.source import Source


def inspect_code(text: str, selection: Selection = EVERYTHING) -> list[Issue]:
    """The issues of a source text, in the order of their places; those of lines come last.

    It never raises for any text.
    """
    return inspect_source(parse(text), selection)


def inspect_source(source: Source, selection: Selection = EVERYTHING) -> list[Issue]:
    """The issues of a text that has been read already."""
    inspection = Inspection(source)
    # As in the parser: nothing of what is made here is garbage.
    is_collecting = gc.isenabled()
    gc.disable()
    try:
        _inspect(inspection, selection)
    finally:
        if is_collecting:
            gc.enable()
    found = sorted(inspection.found, key=lambda one: (one.start, one.end))
    inspection.found = []
    check_lines(inspection)
    return _issues(source, [*found, *inspection.found], selection)


def _inspect(inspection: Inspection, selection: Selection) -> None:
    _walk(inspection)
    for places in inspection.symbols.values():
        places.sort()
    if "Scoping" not in selection.excluded_severities:
        for check in ON_SCOPING:
            check(inspection)
    for check in AFTERWARDS:
        check(inspection)
    inspection.found = _code_itself(inspection)
    for check in NAMES:
        check(inspection)
    if inspection.source.problems:
        inspection.found = _readable(inspection)
    for check in ALWAYS:
        check(inspection)


def _walk(inspection: Inspection) -> None:
    checks, symbols, text = CHECKS, inspection.symbols, inspection.text
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
                    symbols[name].append(start_of(head, text) if head.is_grouped else head.start)
                waiting += found.args[::-1]
            else:
                waiting += found.args[::-1]
                waiting.append(head)
        elif found.kind == "symbol" and found.start >= 0:
            symbols[found.text].append(start_of(found, text) if found.is_grouped else found.start)


def _code_itself(inspection: Inspection) -> list[Found]:
    """What was not found in patterns for code, which nobody evaluates."""
    covers = inspection.patterns.covers
    return [one for one in inspection.found if not covers(one.start)]


def _readable(inspection: Inspection) -> list[Found]:
    """What was not found in expressions that could not be read rightly: there it may be wrong."""
    broken = Spans()
    starts = [problem.start for problem in inspection.source.problems]
    for expression in inspection.source.expressions:
        if count_within(starts, expression.start, expression.end + 1):
            broken.add(expression.start, expression.end + 1)
    return [one for one in inspection.found if not broken.covers(one.start)]


def _issues(source: Source, found: list[Found], selection: Selection) -> list[Issue]:
    silent = silences(source)
    issues = []
    for one in found:
        if silent and is_silent(silent, one):
            continue
        issue = Issue(
            one.rule.tag,
            one.argument,
            one.rule.severity,
            one.confidence,
            one.description,
            _place(source, one.start, one.end),
            tuple(
                Fix(edit.label, _place(source, edit.start, edit.end), edit.text)
                for edit in one.edits
            ),
        )
        if selection.takes(issue) and not _is_excluded_line(issue, selection):
            issues.append(issue)
    return issues


def _is_excluded_line(issue: Issue, selection: Selection) -> bool:
    """Of what is told of lines, an exclusion with any argument excludes all."""
    return issue.tag in LINE_TAGS and any(
        name.partition("::")[0] == issue.tag for name in selection.excluded_tags
    )


def _place(source: Source, start: int, end: int) -> Place:
    return Place(*source.position(start), *source.position(max(start, end)))
