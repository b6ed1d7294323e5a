"""Rules on symbols as such: their contexts, names that do not exist, and old ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

from paddock.wolfram.inspection.inspecting import IssueFix
from paddock.wolfram.inspection.rule import InspectionRule, format_code

if TYPE_CHECKING:
    from paddock.wolfram.inspection.inspecting import SourceCheck, Inspection

PRIVATE_CONTEXT_SYMBOL = InspectionRule(
    "PrivateContextSymbol",
    "Warning",
    0.9,
    "a symbol with `` `Private` `` or `` `PackagePrivate` `` in its context, but not "
    "`` System`Private` ``",
)
GLOBAL_SYMBOL = InspectionRule("GlobalSymbol", "Warning", 0.9, "a symbol that is written with `` Global` ``")
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
_SESSION_SYMBOLS = frozenset({"Print", "Echo", "EchoEvaluation", "EchoFunction", "EchoLabel", "EchoTiming"})
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
        inspection.report_issue(rule, at, at + len(name), f"`{name}` {what}.", argument=name, edits=edits)


SYMBOL_SOURCE_CHECKS: tuple[SourceCheck, ...] = (_check_symbols,)
