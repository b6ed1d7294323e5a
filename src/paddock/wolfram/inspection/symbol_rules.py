"""Rules on symbols as such: their contexts, names that do not exist, and old ones.

Rules on packages: what begins must end, and is loaded before it is used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.expressions import Atom, Node, has_head
from paddock.wolfram.inspection.inspection import InspectionRule, IssueFix, format_code
from paddock.wolfram.literals import parse_string

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paddock.wolfram.expressions import Expression
    from paddock.wolfram.inspection.inspection import Inspection, SourceCheck


PRIVATE_CONTEXT_SYMBOL = InspectionRule(
    "PrivateContextSymbol",
    "Warning",
    0.9,
    "a symbol with `` `Private` `` or `` `PackagePrivate` `` in its context, but not "
    "`` System`Private` ``",
)
GLOBAL_SYMBOL = InspectionRule(
    "GlobalSymbol", "Warning", 0.9, "a symbol that is written with `` Global` ``"
)
BAD_SYMBOL = InspectionRule(
    "BadSymbol",
    "Error",
    0.85,
    "a name that the language does not have, though it looks so, such as `Failed` or `ForEach`; "
    "not when the file defines it",
)
OBSOLETE_SYMBOL = InspectionRule(
    "ObsoleteSymbol", "Warning", 0.8, "a function that another has replaced, such as `URLFetch`"
)
SUSPICIOUS_SESSION_SYMBOL = InspectionRule(
    "SuspiciousSessionSymbol",
    "Remark",
    0.8,
    "`Print`, `Echo` and the like in a package",
)
SYMBOL_RULES = (
    *(PRIVATE_CONTEXT_SYMBOL, GLOBAL_SYMBOL, BAD_SYMBOL, OBSOLETE_SYMBOL),
    SUSPICIOUS_SESSION_SYMBOL,
)

_BAD_SYMBOLS = {
    "AllFalse": "NoneTrue",
    "AnyFalse": "",
    "AssociationKeys": "Keys",
    "AssociationValues": "Values",
    "ElseIf": "Which",
    "Failed": "$Failed",
    "ForEach": "Scan",
    "Foreach": "Scan",
    "KeyExists": "KeyExistsQ",
    "ListLength": "Length",
    "StringConcat": "StringJoin",
    "StringConcatenate": "StringJoin",
    "StringContains": "StringContainsQ",
    "StringEndsWith": "StringEndsQ",
    "StringFormat": "TemplateApply",
    "StringLowerCase": "ToLowerCase",
    "StringMatch": "StringMatchQ",
    "StringStartsWith": "StringStartsQ",
    "StringToLowerCase": "ToLowerCase",
    "StringToUpperCase": "ToUpperCase",
    "StringTrimLeft": "",
    "StringTrimRight": "",
    "StringUpperCase": "ToUpperCase",
}
_OBSOLETE_SYMBOLS = {
    "CreateScheduledTask": "SessionSubmit",
    "FromDate": "AbsoluteTime",
    "GraphicsArray": "GraphicsGrid",
    "LinearProgramming": "LinearOptimization",
    "Random": "RandomReal",
    "RemoveScheduledTask": "TaskRemove",
    "ScheduledTasks": "Tasks",
    "StartScheduledTask": "TaskResume",
    "StopScheduledTask": "TaskSuspend",
    "ToDate": "DateList",
    "ToHeldExpression": "ToExpression",
    "URLFetch": "URLRead",
    "URLFetchAsynchronous": "URLSubmit",
    "URLSave": "URLDownload",
    "URLSaveAsynchronous": "URLDownloadSubmit",
}
_SESSION_SYMBOLS = frozenset(
    {"Print", "Echo", "EchoEvaluation", "EchoFunction", "EchoLabel", "EchoTiming"}
)
_PACKAGE_HEADS = ("BeginPackage", "Package")


def _check_symbols(inspection: Inspection) -> None:
    is_package = any(name in inspection.symbol_positions for name in _PACKAGE_HEADS)
    local: set[str] | None = None
    for name, places in inspection.symbol_positions.items():
        if "`" in name:
            _check_context(inspection, name, places)
        elif name in _BAD_SYMBOLS or name in _OBSOLETE_SYMBOLS:
            if local is None:
                local = {one.name for scope in inspection.scopes for one in scope.variables}
            if name not in local and name not in inspection.defined_symbols:
                _report_unknown_symbol(inspection, name, places)
        elif is_package and name in _SESSION_SYMBOLS:
            for at in places:
                inspection.report_issue(
                    SUSPICIOUS_SESSION_SYMBOL,
                    at,
                    at + len(name),
                    f"`{name}` is for sessions; is it left over?",
                    argument=name,
                )


def _check_context(inspection: Inspection, name: str, places: list[int]) -> None:
    if name.startswith("Global`"):
        rule, what = GLOBAL_SYMBOL, "names the context of sessions"
    elif _is_private_context(name):
        rule, what = PRIVATE_CONTEXT_SYMBOL, "reaches into a private context"
    else:
        return
    for at in places:
        inspection.report_issue(rule, at, at + len(name), f"{format_code(name)} {what}.")


def _is_private_context(name: str) -> bool:
    if name.startswith("System`Private`"):
        return False
    return "`Private`" in name or "`PackagePrivate`" in name


def _report_unknown_symbol(inspection: Inspection, name: str, places: list[int]) -> None:
    is_bad = name in _BAD_SYMBOLS
    better = _BAD_SYMBOLS[name] if is_bad else _OBSOLETE_SYMBOLS[name]
    rule = BAD_SYMBOL if is_bad else OBSOLETE_SYMBOL
    what = "is no symbol of the language" if is_bad else f"is obsolete; `{better}` has replaced it"
    for at in places:
        edits = [IssueFix(f"Replace with `{better}`", at, at + len(name), better)] if better else []
        inspection.report_issue(
            rule, at, at + len(name), f"`{name}` {what}.", argument=name, edits=edits
        )


SYMBOL_SOURCE_CHECKS: tuple[SourceCheck, ...] = (_check_symbols,)


UNBALANCED_CONTEXT = InspectionRule(
    "UnbalancedContext",
    "Error",
    0.9,
    "`BeginPackage` without `EndPackage`, `Begin` without `End`, and the reverse",
)
SUSPICIOUS_PRIVATE_CONTEXT = InspectionRule(
    "SuspiciousPrivateContext",
    "Error",
    0.95,
    '``Begin["Private`"]``, which is no context within the package',
)
NEEDS_AFTER_USE = InspectionRule(
    "NeedsAfterUse",
    "Warning",
    0.85,
    "a symbol of a context before the `Needs` that loads the context",
)
PACKAGE_RULES = (UNBALANCED_CONTEXT, SUSPICIOUS_PRIVATE_CONTEXT, NEEDS_AFTER_USE)

_BEGIN_BY_END = {"End": "Begin", "EndPackage": "BeginPackage"}
_END_BY_BEGIN = {"Begin": "End", "BeginPackage": "EndPackage"}


def _check_packages(inspection: Inspection) -> None:
    if inspection.source.problems:
        return
    opened: list[tuple[str, Node]] = []
    needed: dict[str, int] = {}
    for head, node in _iter_top_level_calls(inspection):
        if head in _END_BY_BEGIN:
            opened.append((head, node))
            _check_private_context(inspection, head, node)
        elif head in _BEGIN_BY_END:
            _close_context(inspection, head, node, opened)
        elif head == "Needs":
            context = _get_context(node)
            if context is not None:
                needed.setdefault(context, node.start)
    for head, node in opened:
        _report_unbalanced_context(
            inspection, head, node, f"`{head}` is not ended by `{_END_BY_BEGIN[head]}[]`."
        )
    if needed:
        _check_use_before_needs(inspection, needed)


def _iter_top_level_calls(inspection: Inspection) -> Iterator[tuple[str, Node]]:
    """The calls at the top level."""
    for expression in inspection.source.expressions:
        parts: list[Expression] = [expression]
        if isinstance(expression, Node) and has_head(expression, "CompoundExpression"):
            parts = expression.args
        for part in parts:
            if isinstance(part, Node) and isinstance(part.head, Atom):
                yield part.head.text, part


def _close_context(
    inspection: Inspection, head: str, node: Node, opened: list[tuple[str, Node]]
) -> None:
    beginning = _BEGIN_BY_END[head]
    if not any(name == beginning for name, _ in opened):
        _report_unbalanced_context(
            inspection, head, node, f"`{head}` ends what no `{beginning}` has begun."
        )
        return
    while opened:
        name, begun = opened.pop()
        if name == beginning:
            return
        _report_unbalanced_context(
            inspection, name, begun, f"`{name}` is not ended by `{_END_BY_BEGIN[name]}[]`."
        )


def _report_unbalanced_context(
    inspection: Inspection, head: str, node: Node, description: str
) -> None:
    inspection.report_node_issue(UNBALANCED_CONTEXT, node, description, argument=head)


def _get_context(node: Node) -> str | None:
    if node.args and isinstance(node.args[0], Atom) and node.args[0].kind == "string":
        return parse_string(node.args[0].text)
    return None


def _check_private_context(inspection: Inspection, head: str, node: Node) -> None:
    if head == "Begin" and _get_context(node) == "Private`":
        given = node.args[0]
        inspection.report_node_issue(
            SUSPICIOUS_PRIVATE_CONTEXT,
            given,
            "The context of a package's own symbols begins with a backtick.",
            edits=[
                IssueFix('Replace with `` "`Private`" ``', given.start, given.end, '"`Private`"')
            ],
        )


def _check_use_before_needs(inspection: Inspection, needed: dict[str, int]) -> None:
    for name, places in inspection.symbol_positions.items():
        context, tick, _ = name.rpartition("`")
        at = needed.get(context + tick) if tick else None
        if at is not None and places[0] < at:
            line, _ = inspection.source.get_position(at)
            inspection.report_issue(
                NEEDS_AFTER_USE,
                places[0],
                places[0] + len(name),
                f"{format_code(name)} is used before `Needs` loads its context, in line {line}.",
            )


PACKAGE_SOURCE_CHECKS: tuple[SourceCheck, ...] = (_check_packages,)
